package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.BenchOptions;
import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Report;
import io.viaduct.testbed.report.Verdict;
import io.viaduct.testbed.tap.PacketKind;
import io.viaduct.testbed.tap.PacketTap;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `viaduct bench idle`: all bytes of a device that carries nothing, on its active path and on its
/// spare one, by kind. Afterwards nothing arrives by the spare path any more, although its link is
/// up, and it is measured again. A packet socket on each link counts IP packets in both directions.
@Command(
    name = "idle",
    mixinStandardHelpOptions = true,
    description = "bytes per second of a device that carries nothing, by kind")
final class IdleCommand implements Callable<Integer> {
  private static final String TITLE = "Bytes of an idle device";
  private static final double BYTES_PER_SECOND_MAX = 25;
  private static final long SETTLE_MS = 45_000; // the searches for the path MTU, and one probe

  // A probe is missed after 25 s at most, and the pauses of the search grow for 41 s.
  private static final long SEARCH_MS = 75_000;

  @Option(
      names = "--seconds",
      description =
          "of measurement (default ${DEFAULT-VALUE}: tokens and probes each come several times)")
  private int seconds = 900;

  @Mixin private BenchOptions options = new BenchOptions();

  /// One kind of packet, or the sum of all kinds, on one path.
  ///
  /// @param bound true for the sum that has a goal
  record Line(String path, String kind, double bytesPerSecond, long packets, boolean bound) {}

  private static final Grid<Line> GRID =
      new Grid<Line>()
          .text("path", "path", Line::path)
          .text("packets of", "kind", Line::kind)
          .number("B/s", "bytesPerSecond", 2, Line::bytesPerSecond)
          .number("packets", "packets", 0, Line::packets)
          .goal(
              "goal",
              "goal",
              line ->
                  line.bound()
                      ? Optional.of(
                          Verdict.atMost(BYTES_PER_SECOND_MAX, "B/s", line.bytesPerSecond()))
                      : Optional.empty());

  @Override
  public Integer call() throws Exception {
    try (BenchEnvironment environment = BenchEnvironment.open(options);
        Peer viaduct = environment.viaduct("")) {
      var unused = RunningPeers.start(environment.network(), List.of(viaduct));
      Thread.sleep(SETTLE_MS);
      List<Line> lines = new ArrayList<>();
      try (PacketTap active = PacketTap.on(environment.network().device(), "linkA");
          PacketTap spare = PacketTap.on(environment.network().device(), "linkB")) {
        double elapsed = pause();
        lines.addAll(lines("active", counts(active), elapsed, true));
        lines.addAll(lines("spare", counts(spare), elapsed, false));
      }
      environment.network().silence("B");
      Thread.sleep(SEARCH_MS);
      try (PacketTap silent = PacketTap.on(environment.network().device(), "linkB")) {
        double elapsed = pause();
        lines.addAll(lines("silent spare", counts(silent), elapsed, false));
      }
      Map<String, String> conditions = environment.conditions();
      conditions.put("measured", seconds + " s without traffic, IP packets in both directions");
      Report.of("idle", TITLE, conditions, GRID, lines).publish(System.out, options.output());
      return 0;
    }
  }

  /// Waits for the time of a measurement. @return its length in seconds
  private double pause() throws InterruptedException {
    long startNs = System.nanoTime();
    Thread.sleep(seconds * 1000L);
    return (System.nanoTime() - startNs) / 1e9;
  }

  private static Map<PacketKind, PacketTap.Count> counts(PacketTap tap) {
    Map<PacketKind, PacketTap.Count> counts = new EnumMap<>(PacketKind.class);
    for (PacketKind kind : PacketKind.values()) {
      counts.put(kind, tap.of(kind));
    }
    return counts;
  }

  private static List<Line> lines(
      String path, Map<PacketKind, PacketTap.Count> counts, double elapsed, boolean bound) {
    List<Line> lines = new ArrayList<>();
    long bytes = 0;
    long packets = 0;
    for (var each : counts.entrySet()) {
      PacketTap.Count count = each.getValue();
      if (count.packets() > 0) {
        lines.add(
            new Line(path, each.getKey().words, count.bytes() / elapsed, count.packets(), false));
      }
      if (each.getKey() != PacketKind.NOT_IP) {
        bytes += count.bytes();
        packets += count.packets();
      }
    }
    lines.add(new Line(path, "all", bytes / elapsed, packets, bound));
    return lines;
  }
}
