package io.viaduct.billingbench;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/// The table of `bench billing`: the measured rows, and those that follow from them.
final class BillingTable {
  static final String RATING = "rating";
  static final String PGBENCH = "pgbench";
  static final String CGRATES = "cgrates";
  static final String DELAY = "visible";
  static final String QUEUE = "kafka";
  static final String QUEUE_COPY = "kafka copy";
  static final String DROP = "drop";
  static final String SUSTAINED = "sustained";
  static final String RECEIPTS_WAITING = "sustained, receipts";
  static final String UNSETTLED = "sustained, unsettled";
  static final String ONE = "one instance";
  static final String THREE = "three instances";
  private static final double RATING_MIN = 2_000_000;
  private static final double POSTING_MIN = 30_000;
  private static final double COPY_SHARE_MIN = 0.5;
  private static final double DELAY_MS_MAX = 1_000;
  private static final double READ_MS_MAX = 20;
  private static final double SPREAD_MAX = 1.1;
  private static final double INSTANCES_MIN = 2.5;
  private static final double CGRATES_MIN = 3;
  private static final double DROP_MS_MAX = 10_000; // deadline of a bridge

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
  private final List<Line> lines = new ArrayList<>();

  private BillingTable(MeasuredRows rows) {
    this.rows = rows;
  }

  static String at(String row, long size) {
    return row + "@" + size;
  }

  /// Returns the lines of all rows that have a value.
  static List<Line> of(MeasuredRows rows, List<Long> sizes) {
    BillingTable table = new BillingTable(rows);
    long first = sizes.getFirst();
    long last = sizes.getLast();
    table.atLeast(RATING, "rating alone, one core", "flow intervals/s", RATING_MIN);
    for (long size : sizes) {
      String loaded = ", %,d loaded before".formatted(size);
      String post = at("post", size);
      String title = "rated and posted over gRPC" + loaded;
      if (size == first) {
        table.atLeast(post, title, "flow intervals/s", POSTING_MIN);
      } else {
        table.plain(post, title, "flow intervals/s");
      }
      String copy = at("copy", size);
      table.plain(copy, "COPY of the same rows" + loaded, "flow intervals/s");
      table.quotient(
          at("share", size),
          "posted, as a share of COPY" + loaded,
          post,
          copy,
          COPY_SHARE_MIN,
          "× COPY");
    }
    table.queue();
    table.plain(PGBENCH, "pgbench on the same PostgreSQL, 4 clients", "transactions/s");
    table.plain(CGRATES, "CGRateS on the same PostgreSQL, 32 clients", "records/s");
    table.quotient(
        "cgrates multiple",
        "rated and posted over gRPC, as a multiple of CGRateS",
        at("post", first),
        CGRATES,
        CGRATES_MIN,
        "× CGRateS");
    table.atMost(DELAY, "report until visible balance at half load, p99", "ms", DELAY_MS_MAX);
    for (long size : sizes) {
      for (ReadTimes.Page page : ReadTimes.Page.values()) {
        String row = at(name(page), size);
        String title = "%s, %,d loaded before, p99".formatted(name(page), size);
        if (size == last) {
          table.atMost(row, title, "ms", READ_MS_MAX);
        } else {
          table.plain(row, title, "ms");
        }
      }
    }
    table.spread("spread", "rate", "post", sizes);
    for (ReadTimes.Page page : ReadTimes.Page.values()) {
      table.spread(name(page) + " spread", "p99 of " + name(page), name(page), sizes);
    }
    table.plain(
        SUSTAINED, "posted at half of the rate, with settlement as shipped", "flow intervals/s");
    table.plain(RECEIPTS_WAITING, "movements without a receipt at its end", "movements");
    table.plain(UNSETTLED, "intervals due and not settled at its end", "intervals");
    table.atMost(DROP, "wait of a report while a month is dropped, longest", "ms", DROP_MS_MAX);
    return table.lines.stream().filter(line -> line.values().length > 0).toList();
  }

  private static String name(ReadTimes.Page page) {
    return page.name().toLowerCase(Locale.ROOT);
  }

  private void plain(String row, String title, String unit) {
    lines.add(new Line(row, title, unit, rows.values(row), Optional.empty()));
  }

  private void atLeast(String row, String title, String unit, double bound) {
    Line line = new Line(row, title, unit, rows.values(row), Optional.empty());
    lines.add(judged(line, Verdict.atLeast(bound, unit, line.median())));
  }

  private void atMost(String row, String title, String unit, double bound) {
    Line line = new Line(row, title, unit, rows.values(row), Optional.empty());
    lines.add(judged(line, Verdict.atMost(bound, unit, line.median())));
  }

  private static Line judged(Line line, Verdict verdict) {
    return new Line(line.row(), line.title(), line.unit(), line.values(), Optional.of(verdict));
  }

  private void queue() {
    atLeast(QUEUE, "rated and posted over Kafka", "flow intervals/s", POSTING_MIN);
    plain(QUEUE_COPY, "COPY of the rows that came over Kafka", "flow intervals/s");
    quotient(
        "kafka share",
        "posted over Kafka, as a share of COPY",
        QUEUE,
        QUEUE_COPY,
        COPY_SHARE_MIN,
        "× COPY");
    plain(ONE, "one instance over Kafka, of limited processor time", "flow intervals/s");
    plain(THREE, "three such instances in one group", "flow intervals/s");
    quotient(
        "scaling", "three instances, as a multiple of one", THREE, ONE, INSTANCES_MIN, "× one");
  }

  // Both values of a round are measured one after the other.
  private void quotient(
      String row, String title, String dividend, String divisor, double bound, String unit) {
    double[] dividends = rows.values(dividend);
    double[] divisors = rows.values(divisor);
    double[] quotients =
        IntStream.range(0, Math.min(dividends.length, divisors.length))
            .mapToDouble(i -> dividends[i] / divisors[i])
            .toArray();
    Line line = new Line(row, title, "", quotients, Optional.empty());
    lines.add(judged(line, Verdict.atLeast(bound, unit, line.median())));
  }

  // Tells whether a row changes with the size of the database.
  private void spread(String row, String what, String of, List<Long> sizes) {
    double[] medians =
        sizes.stream()
            .map(size -> rows.values(at(of, size)))
            .filter(values -> values.length > 0)
            .mapToDouble(values -> Median.of(Arrays.stream(values)))
            .sorted()
            .toArray();
    if (medians.length > 1) {
      double spread = medians[medians.length - 1] / medians[0];
      lines.add(
          new Line(
              row,
              "largest %s of all sizes, as a multiple of the smallest".formatted(what),
              "",
              new double[] {spread},
              Optional.of(Verdict.atMost(SPREAD_MAX, "×", spread))));
    }
  }
}
