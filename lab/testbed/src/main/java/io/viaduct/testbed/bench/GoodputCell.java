package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/// Goodput with compression and without, of one line, direction and payload.
///
/// @param link as on the command line
/// @param off one run per round without compression
/// @param on one run per round with it
record GoodputCell(String link, Way way, PayloadKind kind, List<Run> off, List<Run> on) {
  static final String UNLIMITED = "unlimited";
  private static final double LEAST = 0.98;

  /// Result of one connection.
  ///
  /// @param nearCpu seconds per Gbit of the agent
  /// @param farCpu seconds per Gbit of the SNAPT
  record Run(double mbitPerSecond, double nearCpu, double farCpu) {}

  /// Makes a cell without results.
  ///
  /// @throws IllegalArgumentException when the link is no rate
  static GoodputCell of(String link, Way way, PayloadKind kind) {
    if (!link.equals(UNLIMITED) && AccessLine.of(link).isChanging()) {
      throw new IllegalArgumentException("a link has one rate here, got '" + link + "'");
    }
    return new GoodputCell(link, way, kind, new ArrayList<>(), new ArrayList<>());
  }

  static Grid<GoodputCell> grid() {
    var grid =
        new Grid<GoodputCell>()
            .text("line Mbit/s", "lineMbitPerSecond", GoodputCell::link)
            .cell("way", cell -> cell.way.name().toLowerCase(Locale.ROOT))
            .member("way", GoodputCell::way)
            .text("payload", "payload", cell -> cell.kind.toString())
            .cell("off Mbit/s", cell -> number(cell.off, 2, Run::mbitPerSecond))
            .cell("on Mbit/s", cell -> number(cell.on, 2, Run::mbitPerSecond))
            .goal("goal: reached", "goal", cell -> Optional.of(cell.verdict()));
    return grid.cell("agent's CPU off / on s/Gbit", cell -> cell.both(Run::nearCpu))
        .cell("SNAPT's CPU off / on s/Gbit", cell -> cell.both(Run::farCpu))
        .member("off", GoodputCell::off)
        .member("on", GoodputCell::on);
  }

  private Verdict verdict() {
    double without = median(off, Run::mbitPerSecond);
    return Verdict.atLeast(LEAST, "× off", median(on, Run::mbitPerSecond) / without);
  }

  private String both(ToDoubleFunction<Run> value) {
    return number(off, 3, value) + " / " + number(on, 3, value);
  }

  private static String number(List<Run> runs, int decimals, ToDoubleFunction<Run> value) {
    return Grid.number(median(runs, value), decimals);
  }

  private static double median(List<Run> runs, ToDoubleFunction<Run> value) {
    return Median.of(runs.stream().mapToDouble(value));
  }

  /// Shapes the line and cuts superpackets, so that packets have the sizes of a real wire.
  void shape(BenchNetwork network) {
    if (!link.equals(UNLIMITED)) {
      network.superpackets(false);
      network.shape(AccessLine.tcRate(AccessLine.of(link).first()));
    }
  }

  void unshape(BenchNetwork network) {
    if (!link.equals(UNLIMITED)) {
      network.unshape();
      network.superpackets(true);
    }
  }

  @Override
  public String toString() {
    return "%s Mbit/s %s %s".formatted(link, way, kind);
  }
}
