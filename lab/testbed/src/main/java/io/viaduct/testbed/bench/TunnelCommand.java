package io.viaduct.testbed.bench;

import io.viaduct.testbed.topology.Command;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench tunnel`: compares our tunnel with the direct path and other tunnels.
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
    try (BenchEnvironment environment = BenchEnvironment.open(options)) {
      List<Measure> measures = measures(environment.network(), environment.directory());
      try (RunningPeers runningPeers =
          RunningPeers.start(environment, environment.viaduct(""), peers)) {
        var bench = new TunnelBench(runningPeers.list(), measures, System.err);
        bench.run(rounds);
        List<Row> rows = measures.stream().flatMap(measure -> measure.rows().stream()).toList();
        new TunnelReport(runningPeers.participants(bench.failures()), rows, bench.samples())
            .under(conditions(environment))
            .publish(System.out, options.output());
      }
      return 0;
    }
  }

  private List<Measure> measures(BenchNetwork network, Path directory) {
    TcpFlow flow =
        Command.exists("iperf3")
            ? new Iperf3Flow(network, directory)
            : new SocketFlow(network, System::nanoTime);
    var exchanges = new RequestResponse(network, EXCHANGE_SECONDS, System::nanoTime);
    List<Measure> all =
        List.of(
            new Throughput(flow, seconds),
            new PacketRate(network, PACKETS_SECONDS, System::nanoTime),
            exchanges,
            new ConstrainedText(network, seconds, System::nanoTime),
            new ColdStart(network, System::nanoTime),
            new Handover(network, System::nanoTime),
            new Garbage(network, flow, exchanges, seconds, System::nanoTime));
    return Selection.of(all, Measure::name, chosen, "measure");
  }

  private Map<String, String> conditions(BenchEnvironment environment) throws IOException {
    return environment.conditions(
        "viaduct bench tunnel --rounds %d --seconds %d%s%s, medians of the interleaved rounds"
            .formatted(
                rounds, seconds, peers.optionText(), Selection.optionText("--measures", chosen)));
  }
}
