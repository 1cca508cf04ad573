package io.viaduct.billing.rest;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Sums the charges of an account. A charge belongs to the UTC day in which its interval began.
/// PostgreSQL computes the sums as `numeric`, so they are exact and do not overflow.
final class Usage {
  /// Most rows of one answer. A year by day and class has about 1500.
  static final int ROWS_MAX = 10_000;

  /// The fields that sums can be grouped by.
  enum Grouping {
    DAY("to_char(c.started_at at time zone 'UTC', 'YYYY-MM-DD')"),
    CLASS("c.service_class"),
    APPLICATION("c.application");

    private final String expression;

    Grouping(String expression) {
      this.expression = expression;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /// Reads a comma-separated list of words. An empty list means no grouping: one row.
    static Set<Grouping> of(String words) {
      Set<Grouping> chosen = EnumSet.noneOf(Grouping.class);
      if (words.isEmpty()) {
        return chosen;
      }
      for (String word : words.split(",", -1)) {
        Optional<Grouping> grouping =
            Arrays.stream(values()).filter(b -> b.word().equals(word)).findFirst();
        if (grouping.isEmpty() || !chosen.add(grouping.get())) {
          throw ProblemException.invalid(
              "by must be words out of day, class, application, each once, with commas between"
                  + " them, got '%s'"
                      .formatted(words.length() > 64 ? words.substring(0, 64) : words));
        }
      }
      return chosen;
    }
  }

  /// Sums over a group of charges. A field that is not grouped by is null.
  record Sums(
      @Nullable String day,
      @Nullable String serviceClass,
      @Nullable String application,
      String charges,
      String preBytes,
      String postBytes,
      String savedBytes,
      String durationMs,
      String chargeMicrodenarii,
      String discountMicrodenarii,
      String accessFeeMicrodenarii,
      String surchargeMicrodenarii,
      String promiseRefundMicrodenarii,
      String netMicrodenarii) {}

  private final JdbcClient jdbc;

  Usage(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Sums the charges whose interval began in a time range. Rows are sorted by day (latest first),
  /// then class, then application. Without grouping there is one row.
  List<Sums> sums(String account, TimeRange start, Set<Grouping> by) {
    StringBuilder sql = new StringBuilder("select ");
    for (Grouping each : Grouping.values()) {
      sql.append(by.contains(each) ? each.expression : "null::text")
          .append(" as by_")
          .append(each.word())
          .append(", ");
    }
    sql.append("count(*)");
    for (String column :
        List.of(
            "pre_bytes",
            "post_bytes",
            "saved_bytes",
            "duration_ms",
            "charge_microdenarii",
            "discount_microdenarii",
            "access_fee_microdenarii",
            "surcharge_microdenarii",
            "refund_microdenarii",
            "c.net")) {
      sql.append(", coalesce(sum(").append(column).append("), 0)");
    }
    List<Object> values = new ArrayList<>(List.of(account));
    sql.append(
        " from charge c join charging_interval i on i.id = c.interval_id"
            + " where i.state <> 'VOID' and c.account = ?");
    if (start.from() != null) {
      sql.append(" and c.started_at >= ?");
      values.add(Timestamp.from(start.from()));
    }
    if (start.to() != null) {
      sql.append(" and c.started_at < ?");
      values.add(Timestamp.from(start.to()));
    }
    if (!by.isEmpty()) {
      sql.append(" group by ")
          .append(by.stream().map(b -> b.expression).collect(Collectors.joining(", ")));
      sql.append(" order by ")
          .append(
              by.stream()
                  .map(b -> b.expression + (b == Grouping.DAY ? " desc" : " collate \"C\""))
                  .collect(Collectors.joining(", ")));
    }
    sql.append(" limit ").append(ROWS_MAX + 1);
    List<Sums> rows = jdbc.sql(sql.toString()).params(values).query((row, _) -> sums(row)).list();
    if (rows.size() > ROWS_MAX) {
      throw ProblemException.invalid(
          "this has more than %d rows: ask for a shorter time or for less in 'by'"
              .formatted(ROWS_MAX));
    }
    return rows;
  }

  private static Sums sums(ResultSet row) throws SQLException {
    return new Sums(
        row.getString(1),
        row.getString(2),
        row.getString(3),
        row.getString(4),
        row.getString(5),
        row.getString(6),
        row.getString(7),
        row.getString(8),
        row.getString(9),
        row.getString(10),
        row.getString(11),
        row.getString(12),
        row.getString(13),
        row.getString(14));
  }
}
