package io.viaduct.testbed.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// The weather of links over time, as text: comma-separated values with the header [#HEADER], and
/// comments that begin with `#`.
///
/// @param rows in the order of time
public record Trace(List<TraceRow> rows) {
  public static final String HEADER = "time_s,link,state,rtt_ms,loss_percent,rate_mbit_per_s";

  private static final int COLUMNS = 6;
  private static final double RTT_MS_MAX =
      20_000; // the impairer delays each direction by up to 10 s

  public Trace {
    rows = List.copyOf(rows);
  }

  /// Reads a trace.
  ///
  /// @param name of the file, for messages
  /// @throws IllegalArgumentException with file, line, value and rule
  public static Trace parse(String name, List<String> lines) {
    var rows = new ArrayList<TraceRow>();
    boolean hasHeader = false;
    long before = 0;
    for (int number = 1; number <= lines.size(); number++) {
      String line = lines.get(number - 1).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = name + ":" + number;
      if (!hasHeader) {
        require(line.equals(HEADER), where, line, "the first line must be " + HEADER);
        hasHeader = true;
        continue;
      }
      TraceRow row = row(where, line);
      require(row.timeMs() >= before, where, line, "time must not run backwards");
      before = row.timeMs();
      rows.add(row);
    }
    require(!rows.isEmpty(), name, "", "a trace must have the header and at least one row");
    return new Trace(rows);
  }

  private static TraceRow row(String where, String line) {
    String[] cells = line.split(",", -1);
    require(cells.length == COLUMNS, where, line, "a row must have 6 values: " + HEADER);
    long timeMs = Math.round(number(where, "time_s", cells[0], 86_400) * 1000);
    String link = cells[1].strip();
    require(link.matches("[A-H]"), where, cells[1], "a link is one letter from A to H");
    String state = cells[2].strip();
    require(Set.of("up", "down").contains(state), where, state, "a state is up or down");
    if (state.equals("down")) {
      return TraceRow.down(timeMs, link);
    }
    double rate = number(where, "rate_mbit_per_s", cells[5], 100_000);
    require(
        rate == 0 || rate >= 0.001, where, cells[5], "a rate is 0 (no limit) or at least 0.001");
    return new TraceRow(
        timeMs,
        link,
        true,
        number(where, "rtt_ms", cells[3], RTT_MS_MAX),
        number(where, "loss_percent", cells[4], 100),
        rate);
  }

  private static double number(String where, String column, String cell, double max) {
    try {
      double value = Double.parseDouble(cell.strip());
      if (value >= 0 && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      // reported below, with the rule
    }
    throw new IllegalArgumentException(
        "%s: %s is '%s': it must be a number from 0 to %.0f".formatted(where, column, cell, max));
  }

  private static void require(boolean holds, String where, String value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("%s: '%s': %s".formatted(where, value, rule));
    }
  }

  /// Returns the names of the links.
  public Set<String> links() {
    var names = new TreeSet<String>();
    rows.forEach(row -> names.add(row.link()));
    return names;
  }

  /// Returns the text that [#parse] reads.
  ///
  /// @param comment first line
  public String text(String comment) {
    var text = new StringBuilder("# ").append(comment).append('\n').append(HEADER).append('\n');
    for (TraceRow row : rows) {
      String time = String.format(Locale.ROOT, "%.1f,%s,", row.timeMs() / 1e3, row.link());
      text.append(time)
          .append(
              row.isUp()
                  ? String.format(
                      Locale.ROOT,
                      "up,%.1f,%.2f,%.2f",
                      row.rttMs(),
                      row.lossPercent(),
                      row.rateMbit())
                  : "down,,,")
          .append('\n');
    }
    return text.toString();
  }
}
