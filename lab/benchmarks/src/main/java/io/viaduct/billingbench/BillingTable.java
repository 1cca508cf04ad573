package io.viaduct.billingbench;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.MeasuredRows;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// The table of `bench billing`: the measured rows, and those that follow from them.
final class BillingTable {
  static final String RATING = "rating";
  static final String PGBENCH = "pgbench";
  static final String DELAY = "visible";
  private static final double RATING_MIN = 2_000_000;
  private static final double POSTING_MIN = 30_000;
  private static final double COPY_SHARE_MIN = 0.5;
  private static final double DELAY_MS_MAX = 1_000;
  private static final double READ_MS_MAX = 20;
  private static final double SPREAD_MAX = 1.1;

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
      table.plain(at("copy", size), "COPY of the same rows" + loaded, "flow intervals/s");
      table.share(size, loaded);
    }
    table.plain(PGBENCH, "pgbench on the same PostgreSQL, 4 clients", "transactions/s");
    table.atMost(DELAY, "report until visible balance at half load, p99", "ms", DELAY_MS_MAX);
    for (long size : sizes) {
      for (ReadTimes.Page page : ReadTimes.Page.values()) {
        String row = at(page.name().toLowerCase(java.util.Locale.ROOT), size);
        String title =
            "%s, %,d loaded before, p99"
                .formatted(page.name().toLowerCase(java.util.Locale.ROOT), size);
        if (size == last) {
          table.atMost(row, title, "ms", READ_MS_MAX);
        } else {
          table.plain(row, title, "ms");
        }
      }
    }
    table.spread(sizes);
    return table.lines.stream().filter(line -> line.values().length > 0).toList();
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

  // Both values of a round are measured one after the other, on the same rows.
  private void share(long size, String loaded) {
    double[] posted = rows.values(at("post", size));
    double[] copied = rows.values(at("copy", size));
    double[] shares =
        IntStream.range(0, Math.min(posted.length, copied.length))
            .mapToDouble(i -> posted[i] / copied[i])
            .toArray();
    Line line =
        new Line(
            at("share", size), "posted, as a share of COPY" + loaded, "", shares, Optional.empty());
    lines.add(judged(line, Verdict.atLeast(COPY_SHARE_MIN, "× COPY", line.median())));
  }

  private void spread(List<Long> sizes) {
    double[] medians =
        sizes.stream()
            .map(size -> rows.values(at("post", size)))
            .filter(values -> values.length > 0)
            .mapToDouble(values -> Median.of(Arrays.stream(values)))
            .sorted()
            .toArray();
    if (medians.length > 1) {
      double spread = medians[medians.length - 1] / medians[0];
      lines.add(
          new Line(
              "spread",
              "largest rate of all sizes, as a multiple of the smallest",
              "",
              new double[] {spread},
              Optional.of(Verdict.atMost(SPREAD_MAX, "×", spread))));
    }
  }
}
