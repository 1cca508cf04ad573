package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.GoodputCell.Run;
import io.viaduct.testbed.process.ProcessUsage;
import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.topology.NetworkNamespace;
import io.viaduct.testbed.traffic.TcpStream;
import io.viaduct.testbed.traffic.Way;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench goodput`: one TCP connection with and without compression. It shows where
/// compression costs more than it saves. Two agents with a SNAPT each run on one device, warm and
/// idle except for the measured one. Runs with and without compression alternate, so that both meet
/// the same state of the machine.
@Command(
    name = "goodput",
    mixinStandardHelpOptions = true,
    description = "one TCP connection with compression on, against off, by payload and line")
final class GoodputCommand implements Callable<Integer> {
  private static final String TITLE =
      "Goodput of one TCP connection with compression, against without";
  private static final String OFF_AND_ON =
      "tunnel.context off and remote-host: two agents on the device, a SNAPT each, side by side";
  private static final double WARM_UP_SECONDS = 30; // of each tunnel

  @Option(names = "--rounds", description = "interleaved rounds (default ${DEFAULT-VALUE})")
  private int rounds = 5;

  @Option(
      names = "--seconds",
      description = "of each connection, behind its first (default ${DEFAULT-VALUE})")
  private double seconds = 3;

  @Option(
      names = "--links",
      split = ",",
      description = "Mbit/s of the line each way, or unlimited (default ${DEFAULT-VALUE})")
  private List<String> links = List.of("2", "10", "100", "1000", GoodputCell.UNLIMITED);

  @Option(names = "--kinds", split = ",", description = "payloads, such as text (default: all)")
  private List<String> kinds = List.of();

  @Option(names = "--way", split = ",", description = "UP, DOWN (default: both, one by one)")
  private List<String> ways = List.of();

  @Option(names = "--seed", description = "of the payloads (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    List<GoodputCell> cells = cells();
    try (BenchEnvironment environment = BenchEnvironment.open(options);
        ViaductPeer on = environment.viaduct("", "tunnel: {context: remote-host}\n");
        ViaductPeer off =
            environment.secondViaduct(
                new ViaductPeer.Lines(
                    ViaductPeer.ONE_LINK, "", "tunnel: {context: off}\n", false))) {
      BenchNetwork network = environment.network();
      var unused = RunningPeers.start(network, List.of(on, off));
      var with = new Tunnel(true, on, network, network.far());
      var without = new Tunnel(false, off, network, network.secondFar());
      warmUp(cells, List.of(with, without));
      for (int round = 0; round < rounds; round++) {
        for (GoodputCell cell : cells) {
          List<Tunnel> order = round % 2 == 0 ? List.of(with, without) : List.of(without, with);
          measure(network, cell, order, seed + round);
        }
      }
      Map<String, String> conditions = environment.conditions();
      conditions.put("values", "medians of the interleaved rounds");
      conditions.put("off and on", OFF_AND_ON);
      conditions.put("line", BenchNetwork.SHAPED);
      Report.of("goodput", TITLE, conditions, GoodputCell.grid(), cells)
          .publish(System.out, options.output());
      return 0;
    }
  }

  /// Combines the options.
  ///
  /// @throws IllegalArgumentException for a wrong option, before anything is started
  private List<GoodputCell> cells() {
    List<Way> chosenWays = Selection.of(Way.class, ways, "way");
    List<PayloadKind> chosenKinds = Selection.of(PayloadKind.class, kinds, "kind");
    return links.stream()
        .flatMap(link ->
            chosenWays.stream()
                .flatMap(way -> chosenKinds.stream().map(kind -> GoodputCell.of(link, way, kind))))
        .toList();
  }

  /// Runs both tunnels before the measurement, because code that is still being compiled would
  /// distort the result.
  private void warmUp(List<GoodputCell> cells, List<Tunnel> tunnels) throws IOException {
    List<GoodputCell> each =
        cells.stream().filter(cell -> cell.link().equals(links.getFirst())).toList();
    for (GoodputCell cell : each) {
      for (Tunnel tunnel : tunnels) {
        tunnel.run(cell, seed, Math.max(1, WARM_UP_SECONDS / each.size()));
      }
    }
  }

  private void measure(BenchNetwork network, GoodputCell cell, List<Tunnel> order, long roundSeed)
      throws IOException {
    cell.shape(network);
    try {
      for (Tunnel tunnel : order) {
        Run run = tunnel.run(cell, roundSeed, seconds);
        (tunnel.compresses() ? cell.on() : cell.off()).add(run);
        System.err.printf(
            Locale.ROOT,
            "%s, %s: %.1f Mbit/s%n",
            cell,
            tunnel.compresses() ? "on" : "off",
            run.mbitPerSecond());
      }
    } finally {
      cell.unshape(network);
    }
  }

  /// One of the two tunnels.
  private record Tunnel(boolean compresses, Peer peer, BenchNetwork network, NetworkNamespace far) {
    Run run(GoodputCell cell, long seed, double seconds) throws IOException {
      double nearCpu = ProcessUsage.cpuSeconds(peer.nearProcesses());
      double farCpu = ProcessUsage.cpuSeconds(peer.farProcesses());
      TcpStream.Carried carried =
          new TcpStream(network.device(), far, System::nanoTime)
              .run(peer.target(), cell.way(), cell.kind().stream(seed), seconds);
      double gbit = carried.bytes() * 8 / 1e9;
      return new Run(
          carried.mbitPerSecond(),
          (ProcessUsage.cpuSeconds(peer.nearProcesses()) - nearCpu) / gbit,
          (ProcessUsage.cpuSeconds(peer.farProcesses()) - farCpu) / gbit);
    }
  }
}
