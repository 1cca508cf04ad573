package io.viaduct.controlbench;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The table of `bench control`: the measured rows, and the capacities that follow from them.
final class ControlTable {
  static final String SESSION = "session bytes";
  static final String REGISTER = "register";
  static final String REGISTER_P99 = "register p99";
  static final String AGENT = "agent bytes";
  static final String SNAPT = "snapt bytes";
  static final String PROCESSOR = "bridge cpu";
  static final String MEMORY = "bridge memory";
  static final String REGISTRATIONS = "registrations";

  /// The last row of a round, so that its count is the count of whole rounds.
  static final String LAST = "registrations after";

  private static final double CAPACITY_MIN = 100_000;
  private static final double BACK_SECONDS_MAX = 60;
  private static final double MEMORY_GROWTH_MAX = 1.25;

  /// Link throughput of the paper's mesh: 14 Mbit/s.
  private static final double PAPER_BYTES_PER_SECOND = 14e6 / 8;

  static final Map<String, String> MISSING = missing();

  private static Map<String, String> missing() {
    Map<String, String> missing = new LinkedHashMap<>();
    missing.put("usage reports", "the SNAPTs carry nothing, so none has anything to report");
    missing.put("devices over TCP", "all speak SIP over UDP, the default");
    return missing;
  }

  /// A row with the values of its rounds.
  record Line(String row, String title, String unit, double[] values, Optional<Verdict> goal) {
    double median() {
      return Median.of(Arrays.stream(values));
    }
  }

  static final Grid<Line> GRID =
      new Grid<Line>()
          .member("row", Line::row)
          .text("measure", "measure", Line::title)
          .text("unit", "unit", Line::unit)
          .text("rounds", "rounds", line -> line.values().length)
          .rounds("median", "median", line -> line.median() < 100 ? 2 : 0, Line::values)
          .goal("goal", "goal", Line::goal);

  private final MeasuredRows rows;
  private final Scale scale;
  private final List<Line> lines = new ArrayList<>();

  private ControlTable(MeasuredRows rows, Scale scale) {
    this.rows = rows;
    this.scale = scale;
  }

  /// Returns the lines of all rows.
  static List<Line> of(MeasuredRows rows, Scale scale) {
    ControlTable table = new ControlTable(rows, scale);
    table.registration();
    table.traffic();
    table.comeBack();
    table.capacity();
    return table.lines;
  }

  private void registration() {
    plain(REGISTER, "all registered, with a token, %d a second".formatted(scale.rate()), "s");
    plain(REGISTER_P99, "from a device's first REGISTER to its token, p99", "ms");
    plain(REGISTRATIONS, "registrations at the end of the steady state", "");
  }

  private void traffic() {
    plain(AGENT, "bytes between the bridge and one device", "B/s");
    plain(SNAPT, "bytes between the bridge and one SNAPT", "B/s");
    plain(SESSION, "bytes between a SNAPT and one idle device", "B/s");
    line("bridge bytes", "all bytes at the bridge", "B/s", bridge(), _ -> Optional.empty());
    plain(PROCESSOR, "the bridge's processor time, of one core", "%");
    plain(MEMORY, "the bridge's resident memory", "MiB");
  }

  private void comeBack() {
    plain("agents back p50", "a device is back after the bridge was killed, p50", "s");
    plain("agents back p99", "likewise, p99", "s");
    atMost("agents back", "the last device is back", "s", BACK_SECONDS_MAX);
    plain("snapts back p50", "a SNAPT is back, p50", "s");
    plain("snapts back p99", "likewise, p99", "s");
    atMost("snapts back", "the last SNAPT is back", "s", BACK_SECONDS_MAX);
    plain("refused", "answers 503 meanwhile", "");
    plain("sent again", "requests that were sent again meanwhile", "");
    plain("unanswered", "requests without an answer for 32 s meanwhile", "");
    double[] before = rows.values(MEMORY);
    double[] after = rows.values("bridge memory after");
    plain("bridge memory after", "the bridge's resident memory when all are back", "MiB");
    line(
        "memory growth",
        "the same relative to the steady state before",
        "×",
        each(before, after, (one, two) -> two / one),
        line -> Optional.of(Verdict.atMost(MEMORY_GROWTH_MAX, "×", line.median())));
    line(
        LAST,
        "registrations when all are back",
        "",
        rows.values(LAST),
        line -> Optional.of(Verdict.atLeast(scale.agents(), "", line.median())));
  }

  private void capacity() {
    double session = Median.of(Arrays.stream(rows.values(SESSION)));
    double[] snapt =
        Arrays.stream(rows.values(SNAPT))
            .map(bytes -> scale.bytesPerSecond() / (bytes + session * scale.sessions()))
            .toArray();
    capacity(
        "capacity snapt",
        "a SNAPT's data rate ÷ its control traffic with %d devices".formatted(scale.sessions()),
        snapt);
    capacity(
        "capacity bridge",
        "the SNAPTs' data rate together ÷ the control traffic of the bridge",
        Arrays.stream(bridge())
            .map(bytes -> scale.bytesPerSecond() * scale.snapts() / bytes)
            .toArray());
    line(
        "capacity of the paper's link",
        "14 Mbit/s ÷ the control traffic of a device at its SNAPT",
        "",
        new double[] {PAPER_BYTES_PER_SECOND / session},
        _ -> Optional.empty());
  }

  private double[] bridge() {
    return each(
        rows.values(AGENT),
        rows.values(SNAPT),
        (agent, snapt) -> agent * scale.agents() + snapt * scale.snapts());
  }

  /// Combines the values of a round.
  private interface Both {
    double of(double one, double two);
  }

  private static double[] each(double[] ones, double[] twos, Both both) {
    double[] all = new double[Math.min(ones.length, twos.length)];
    for (int i = 0; i < all.length; i++) {
      all[i] = both.of(ones[i], twos[i]);
    }
    return all;
  }

  private void plain(String row, String title, String unit) {
    line(row, title, unit, rows.values(row), _ -> Optional.empty());
  }

  private void atMost(String row, String title, String unit, double bound) {
    line(
        row,
        title,
        unit,
        rows.values(row),
        line -> Optional.of(Verdict.atMost(bound, unit, line.median())));
  }

  private void capacity(String row, String title, double[] values) {
    line(
        row,
        title,
        "",
        values,
        line -> Optional.of(Verdict.atLeast(CAPACITY_MIN, "", line.median())));
  }

  private void line(
      String row,
      String title,
      String unit,
      double[] values,
      Function<Line, Optional<Verdict>> goal) {
    Line plain = new Line(row, title, unit, values, Optional.empty());
    lines.add(new Line(row, title, unit, values, goal.apply(plain)));
  }
}
