package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.Command;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
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

  @Option(
      names = "--peers",
      split = ",",
      description = "tunnels of others, by name; 'none' for none (default: all that are installed)")
  private List<String> peers = List.of();

  @Option(names = "--measures", split = ",", description = "what to measure (default: everything)")
  private List<String> chosen = List.of();

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    var all = new ArrayList<Peer>(List.of(new DirectPeer()));
    try (Stand stand = Stand.open(options)) {
      Ground ground = stand.ground();
      Path directory = stand.directory();
      all.add(stand.viaduct(""));
      all.addAll(PeerScripts.unpack(ground, directory, peers));
      List<Measure> measures = measures(ground, directory);
      var missing = new LinkedHashMap<String, String>();
      List<Peer> running = new PeerStart(ground, System.err, System::nanoTime).all(all, missing);
      var bench = new TunnelBench(running, measures, System.err);
      bench.run(rounds);
      missing.putAll(bench.failures());
      report(stand, running, missing, measures, bench.samples())
          .publish(System.out, options.output());
      return 0;
    } finally {
      all.reversed().forEach(Peer::close);
    }
  }

  private List<Measure> measures(Ground ground, Path directory) {
    TcpFlow flow =
        Command.exists("iperf3")
            ? new Iperf3Flow(ground, directory)
            : new SocketFlow(ground, System::nanoTime);
    List<Measure> all =
        List.of(
            new Throughput(flow, seconds),
            new PacketRate(ground, PACKETS_SECONDS, System::nanoTime),
            new RequestResponse(ground, EXCHANGE_SECONDS, System::nanoTime),
            new ConstrainedText(ground, seconds, System::nanoTime),
            new ColdStart(ground, System::nanoTime),
            new Handover(ground, System::nanoTime));
    return Chosen.of(all, Measure::name, chosen, "measure");
  }

  private Report report(
      Stand stand,
      List<Peer> running,
      Map<String, String> missing,
      List<Measure> measures,
      List<Sample> samples)
      throws Exception {
    var conditions =
        stand.conditions(
            "viaduct bench tunnel --rounds %d --seconds %d, medians of the interleaved rounds"
                .formatted(rounds, seconds));
    var notes = new LinkedHashMap<String, String>();
    var roles = new LinkedHashMap<String, Role>();
    for (Peer peer : running) {
      notes.put(peer.name(), peer.note());
      roles.put(peer.name(), peer.role());
    }
    List<Row> rows = measures.stream().flatMap(measure -> measure.rows().stream()).toList();
    return new TunnelReport(notes, roles, missing, rows, samples).under(conditions);
  }
}
