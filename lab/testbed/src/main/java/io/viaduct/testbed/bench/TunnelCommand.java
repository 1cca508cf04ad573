package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.report.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench tunnel`: compares our tunnel with the direct path and other tunnels. Every
/// measure runs with every peer in turn, for several rounds, so that other work of the machine
/// affects all peers alike.
@Command(
    name = "tunnel",
    mixinStandardHelpOptions = true,
    description = "speed beside the direct path and every tunnel that is installed")
final class TunnelCommand implements Callable<Integer> {
  private static final double PACKETS_SECONDS = 1;
  private static final double EXCHANGE_SECONDS = 1;

  @Option(names = "--rounds", description = "interleaved rounds (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(names = "--seconds", description = "of each flow (default ${DEFAULT-VALUE})")
  private int seconds = 5;

  @Option(names = "--measures", split = ",", description = "what to measure (default: everything)")
  private List<String> chosen = List.of();

  @Mixin private PeerOptions peers = new PeerOptions();

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    try (BenchEnvironment environment = BenchEnvironment.open(options)) {
      List<Measure> measures = measures(environment.network(), environment.directory());
      try (RunningPeers running = RunningPeers.start(environment, environment.viaduct(""), peers)) {
        var samples = new Samples(running.roles());
        Map<String, String> missing = new LinkedHashMap<>(running.missing());
        for (int round = 1; round <= rounds; round++) {
          for (Measure measure : measures) {
            for (Peer peer : running.list()) {
              run(measure, peer, round, samples, missing);
            }
          }
        }
        List<Row> rows =
            measures.stream()
                .flatMap(measure -> measure.rows().stream())
                .filter(samples::has)
                .toList();
        Map<String, String> conditions = running.describe(environment.conditions());
        conditions.put("values", "medians of the interleaved rounds");
        report(rows, samples, running.roles(), conditions)
            .without(missing)
            .publish(System.out, options.output());
      }
      return 0;
    }
  }

  private List<Measure> measures(BenchNetwork network, Path directory) {
    var flow = new TcpFlow(network, directory);
    var exchanges = new RequestResponse(network, EXCHANGE_SECONDS, System::nanoTime);
    List<Measure> all =
        List.of(
            new Throughput(flow, seconds),
            new PacketRate(network, PACKETS_SECONDS, System::nanoTime),
            exchanges,
            new ConstrainedText(network, seconds, System::nanoTime),
            new ColdStart(network, System::nanoTime),
            new Handover(network, System::nanoTime),
            new AllocatedBytes(network, flow, exchanges, seconds, System::nanoTime));
    return Selection.of(all, Measure::name, chosen, "measure");
  }

  private static void run(
      Measure measure, Peer peer, int round, Samples samples, Map<String, String> missing)
      throws IOException {
    System.err.printf("round %d: %s, %s%n", round, measure.name(), peer.name());
    try {
      measure.run(peer, (row, value) -> samples.add(row, peer.name(), value));
    } catch (IllegalStateException | CompletionException e) {
      missing.put(peer.name() + ", " + measure.name(), "round " + round + ": " + e.getMessage());
    }
  }

  /// Makes the report with two tables: ours against the best peer, then all peers.
  private static Report report(
      List<Row> rows, Samples samples, Map<String, Role> roles, Map<String, String> conditions) {
    var goals =
        new Grid<Row>()
            .cell("what", Row::title)
            .cell("unit", Row::unit)
            .cell("direct", row -> number(row, samples, DirectPeer.NAME))
            .cell("viaduct", row -> number(row, samples, ViaductPeer.NAME))
            .cell(
                "best peer",
                row ->
                    samples
                        .bestPeer(row)
                        .map(peer -> number(row, samples, peer) + " " + peer)
                        .orElse("–"))
            .cell("of best", row -> ratio(row, samples, samples.bestPeer(row).orElse("")))
            .cell("of direct", row -> ratio(row, samples, DirectPeer.NAME))
            .cell(
                "goal: reached",
                row ->
                    row.verdicts(samples).stream()
                        .map(Verdict::toString)
                        .collect(Collectors.joining("; ")));
    var everybody =
        new Grid<Row>()
            .member("row", Row::id)
            .text("what", "title", Row::title)
            .text("unit", "unit", Row::unit)
            .member("goals", row -> row.verdicts(samples));
    for (String peer : roles.keySet()) {
      everybody.rounds(peer, peer, Row::decimals, row -> samples.of(row, peer));
    }
    return new Report(
        "tunnel",
        "Viaduct's tunnel beside the direct path and other tunnels",
        conditions,
        Map.of(),
        goals.markdown(rows) + "\n" + everybody.markdown(rows),
        everybody.members(rows));
  }

  private static String number(Row row, Samples samples, String peer) {
    return Grid.number(samples.median(row, peer), row.decimals());
  }

  private static String ratio(Row row, Samples samples, String peer) {
    double ratio = samples.median(row, ViaductPeer.NAME) / samples.median(row, peer);
    return Double.isFinite(ratio) ? Grid.number(ratio, 2) + " ×" : "–";
  }
}
