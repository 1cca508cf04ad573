package io.viaduct.testbed.bench;

import io.viaduct.testbed.bench.GoodputReport.Cell;
import io.viaduct.testbed.bench.GoodputReport.Run;
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

/// `viaduct bench goodput`: one TCP connection with compression and without, so that it shows where
/// compression costs more than it gives. Both ends start again for each of the two, and learn their
/// work before they are measured.
@Command(
    name = "goodput",
    mixinStandardHelpOptions = true,
    description = "one TCP connection with compression on, against off, by payload and line")
final class GoodputCommand implements Callable<Integer> {
  private static final double WARM_UP_SECONDS = 1;

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
  private List<String> links = List.of("2", "10", "100", "1000", Cell.UNLIMITED);

  @Option(names = "--kinds", split = ",", description = "payloads, such as text (default: all)")
  private List<String> kinds = List.of();

  @Option(names = "--way", split = ",", description = "UP, DOWN (default: both, one by one)")
  private List<String> ways = List.of();

  @Option(names = "--seed", description = "of the payloads (default ${DEFAULT-VALUE})")
  private long seed = 1;

  @Mixin private BenchOptions options = new BenchOptions();

  @Override
  public Integer call() throws Exception {
    List<Cell> cells = cells();
    try (Stand stand = Stand.open(options);
        ViaductPeer viaduct = stand.viaduct("")) {
      stand.start(List.of(viaduct));
      var report = new GoodputReport();
      for (int round = 0; round < rounds; round++) {
        for (String link : links) {
          List<Cell> here = cells.stream().filter(cell -> cell.link().equals(link)).toList();
          boolean onFirst = round % 2 == 0;
          for (boolean on : List.of(onFirst, !onFirst)) {
            restart(stand, viaduct, on);
            measure(stand.ground(), viaduct, here, on, seed + round, report);
          }
        }
      }
      report.under(conditions(stand)).publish(System.out, options.output());
      return 0;
    }
  }

  /// @throws IllegalArgumentException before anything is started
  private List<Cell> cells() {
    List<Way> chosenWays = Chosen.of(List.of(Way.values()), Way::name, ways, "way");
    List<PayloadKind> chosenKinds =
        Chosen.of(List.of(PayloadKind.values()), PayloadKind::toString, kinds, "kind");
    return links.stream()
        .flatMap(link ->
            chosenWays.stream()
                .flatMap(way -> chosenKinds.stream().map(kind -> Cell.of(link, way, kind))))
        .toList();
  }

  private static void restart(Stand stand, ViaductPeer viaduct, boolean on) throws IOException {
    viaduct.restart("tunnel: {context: %s}\n".formatted(on ? "remote-host" : "off"));
    stand.awaitFirstPacket(viaduct);
  }

  private void measure(
      Ground ground, Peer peer, List<Cell> cells, boolean on, long roundSeed, GoodputReport report)
      throws IOException {
    for (Cell cell : cells) {
      run(ground, peer, cell, roundSeed, WARM_UP_SECONDS);
    }
    for (Cell cell : cells) {
      cell.shape(ground);
      try {
        Run run = run(ground, peer, cell, roundSeed, seconds);
        report.add(cell, on, run);
        System.err.printf(
            Locale.ROOT, "%s, %s: %.1f Mbit/s%n", cell, on ? "on" : "off", run.mbitPerSecond());
      } finally {
        cell.unshape(ground);
      }
    }
  }

  private static Run run(Ground ground, Peer peer, Cell cell, long roundSeed, double forSeconds)
      throws IOException {
    double near = CpuTime.ofProcesses(peer.nearProcesses());
    double far = CpuTime.ofProcesses(peer.farProcesses());
    TcpStream.Carried carried =
        new TcpStream(ground.device(), ground.far(), System::nanoTime)
            .run(peer.target(), cell.way(), cell.kind().stream(roundSeed), forSeconds);
    double gbit = carried.bytes() * 8 / 1e9;
    return new Run(
        carried.mbitPerSecond(),
        (CpuTime.ofProcesses(peer.nearProcesses()) - near) / gbit,
        (CpuTime.ofProcesses(peer.farProcesses()) - far) / gbit);
  }

  private Map<String, String> conditions(Stand stand) throws IOException {
    var conditions =
        stand.conditions(
            String.format(
                Locale.ROOT,
                "viaduct bench goodput --rounds %d --seconds %s --links %s --seed %d%s%s,"
                    + " medians of the interleaved rounds",
                rounds,
                seconds,
                String.join(",", links),
                seed,
                Chosen.words("--kinds", kinds),
                Chosen.words("--way", ways)));
    conditions.put("off and on", "tunnel.context off and remote-host at both ends");
    conditions.put("line", Ground.SHAPED);
    return conditions;
  }
}
