package io.viaduct.testbed.bench;

import io.viaduct.testbed.traffic.Way;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/// Goodput with compression against without, by line, direction and payload.
final class GoodputReport {
  private static final double LEAST = 0.98;

  private final Map<Cell, List<Run>> off = new LinkedHashMap<>();
  private final Map<Cell, List<Run>> on = new LinkedHashMap<>();

  /// The parameters of one row.
  ///
  /// @param link as on the command line
  record Cell(String link, Way way, PayloadKind kind) {
    static final String UNLIMITED = "unlimited";

    /// Makes the parameters of a row.
    ///
    /// @throws IllegalArgumentException when the link is no rate
    static Cell of(String link, Way way, PayloadKind kind) {
      if (!link.equals(UNLIMITED) && AccessLine.of(link).isChanging()) {
        throw new IllegalArgumentException("a link has one rate here, got '" + link + "'");
      }
      return new Cell(link, way, kind);
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

  /// Result of one connection.
  ///
  /// @param nearCpu seconds per Gbit of the agent
  /// @param farCpu seconds per Gbit of the SNAPT
  record Run(double mbitPerSecond, double nearCpu, double farCpu) {}

  void add(Cell cell, boolean compressed, Run run) {
    (compressed ? on : off).computeIfAbsent(cell, of -> new ArrayList<>()).add(run);
  }

  private static double median(Map<Cell, List<Run>> runs, Cell cell, ToDoubleFunction<Run> value) {
    return Median.of(runs.getOrDefault(cell, List.of()).stream().mapToDouble(value));
  }

  private Verdict verdict(Cell cell) {
    double without = median(off, cell, Run::mbitPerSecond);
    return Verdict.atLeast(LEAST, "× off", median(on, cell, Run::mbitPerSecond) / without);
  }

  private String table() {
    var text =
        new StringBuilder(
                "| line Mbit/s | way | payload | off Mbit/s | on Mbit/s | goal: reached |")
            .append(" agent's CPU off / on s/Gbit | SNAPT's CPU off / on s/Gbit |\n")
            .append("|---|---|---|--:|--:|---|--:|--:|\n");
    for (Cell cell : on.keySet()) {
      text.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %.2f | %.2f | %s | %.3f / %.3f | %.3f / %.3f |%n",
              cell.link,
              cell.way.name().toLowerCase(Locale.ROOT),
              cell.kind,
              median(off, cell, Run::mbitPerSecond),
              median(on, cell, Run::mbitPerSecond),
              verdict(cell),
              median(off, cell, Run::nearCpu),
              median(on, cell, Run::nearCpu),
              median(off, cell, Run::farCpu),
              median(on, cell, Run::farCpu)));
    }
    return text.toString();
  }

  Report under(Map<String, String> conditions) {
    return new Report(
        "goodput",
        "Goodput of one TCP connection with compression, against without",
        conditions,
        table(),
        Map.of("rows", on.keySet().stream().map(this::numbers).toList()));
  }

  private Map<String, Object> numbers(Cell cell) {
    var numbers = new LinkedHashMap<String, Object>();
    numbers.put("lineMbitPerSecond", cell.link);
    numbers.put("way", cell.way);
    numbers.put("payload", cell.kind.toString());
    numbers.put("goal", verdict(cell));
    numbers.put("off", off.getOrDefault(cell, List.of()));
    numbers.put("on", on.getOrDefault(cell, List.of()));
    return numbers;
  }
}
