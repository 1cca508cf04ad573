package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench tunnel`: the composition root of the comparison.
@picocli.CommandLine.Command(
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
    try (Stand stand = Stand.open(options)) {
      List<Measure> measures = measures(stand.ground(), stand.directory());
      try (Contest contest = Contest.start(stand, stand.viaduct(""), peers)) {
        var bench = new TunnelBench(contest.running(), measures, System.err);
        bench.run(rounds);
        List<Row> rows = measures.stream().flatMap(measure -> measure.rows().stream()).toList();
        new TunnelReport(contest.participants(bench.failures()), rows, bench.samples())
            .under(conditions(stand))
            .publish(System.out, options.output());
      }
      return 0;
    }
  }

  private List<Measure> measures(Ground ground, Path directory) {
    TcpFlow flow =
        Command.exists("iperf3")
            ? new Iperf3Flow(ground, directory)
            : new SocketFlow(ground, System::nanoTime);
    var exchanges = new RequestResponse(ground, EXCHANGE_SECONDS, System::nanoTime);
    List<Measure> all =
        List.of(
            new Throughput(flow, seconds),
            new PacketRate(ground, PACKETS_SECONDS, System::nanoTime),
            exchanges,
            new ConstrainedText(ground, seconds, System::nanoTime),
            new ColdStart(ground, System::nanoTime),
            new Handover(ground, System::nanoTime),
            new Garbage(ground, flow, exchanges, seconds, System::nanoTime));
    return Chosen.of(all, Measure::name, chosen, "measure");
  }

  private Map<String, String> conditions(Stand stand) throws IOException {
    return stand.conditions(
        "viaduct bench tunnel --rounds %d --seconds %d%s%s, medians of the interleaved rounds"
            .formatted(rounds, seconds, peers.words(), Chosen.words("--measures", chosen)));
  }
}
