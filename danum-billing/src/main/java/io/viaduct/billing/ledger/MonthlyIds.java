package io.viaduct.billing.ledger;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Draws ids that carry their month (ADR 0059): the upper bits are the number of the month, the
/// lower 41 bits come from a sequence. PostgreSQL finds the partition of a row by its id. A month
/// that has no partitions gives ids of month 0, whose partition always exists.
public final class MonthlyIds {
  private MonthlyIds() {}

  /// Returns an id for each time, in order, in one round trip.
  ///
  /// @param sequence a constant of the caller, because it is not escaped
  public static List<Long> of(JdbcClient jdbc, String sequence, List<Instant> times) {
    return draw(
        jdbc,
        "month_number(u.x)",
        sequence,
        "?::timestamptz[]",
        times.stream().map(Timestamp::from).toArray(Timestamp[]::new));
  }

  /// Returns an id in the month of each given id, in order.
  ///
  /// @param sequence a constant of the caller, because it is not escaped
  public static List<Long> like(JdbcClient jdbc, String sequence, List<Long> ids) {
    return ids.isEmpty()
        ? List.of()
        : draw(jdbc, "u.x >> 41", sequence, "?::bigint[]", ids.toArray(Long[]::new));
  }

  /// Returns ids of ledger transactions: in the month of their interval, so that an interval is
  /// kept and dropped with its transactions; without an interval, in the month of their posting.
  ///
  /// @param intervals id of the interval of each transaction, or null
  static List<Long> of(JdbcClient jdbc, Instant posted, List<@Nullable Long> intervals) {
    return draw(
        jdbc,
        "coalesce(u.x >> 41, month_number('" + posted + "'))",
        "ledger_transaction_id",
        "?::bigint[]",
        intervals.toArray(Long[]::new));
  }

  private static List<Long> draw(
      JdbcClient jdbc, String month, String sequence, String type, Object[] values) {
    return jdbc.sql(
            "select id_in_month(%s, '%s') from unnest(%s) with ordinality u(x, n) order by u.n"
                .formatted(month, sequence, type))
        .param(values)
        .query(Long.class)
        .list();
  }
}
