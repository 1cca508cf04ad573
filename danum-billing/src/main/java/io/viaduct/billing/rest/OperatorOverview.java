package io.viaduct.billing.rest;

import java.sql.Timestamp;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Reads what an operator looks at first: accounts that stand out, reports that wait, how far
/// billing is behind, and the hours of today.
final class OperatorOverview {
  private final JdbcClient jdbc;

  OperatorOverview(JdbcClient jdbc) {
    this.jdbc = jdbc;
  }

  /// Numbers of accounts that stand out. Operators' own accounts carry no traffic and need no
  /// credit: they are not counted as short of it.
  record StandingOut(
      long suspended, long blocked, long low, long exhausted, long belowZero, long cut) {}

  /// Reports and charges that wait.
  ///
  /// @param held reports that wait for a decision
  /// @param discrepant unsigned charges of which the device has counted less
  /// @param unsigned charges that no device has signed
  /// @param unsettled intervals whose grace time is over and that are not settled yet
  /// @param lagSeconds time from the end of an interval to its arrival, mean of the last 100
  ///   reports; null without a report
  record Waiting(
      long held,
      long discrepant,
      long unsigned,
      long unsettled,
      @Nullable Double lagSeconds,
      @Nullable Instant latestReportAt) {}

  /// One hour of all accounts.
  record HourSum(
      Instant hour, long charges, String preBytes, String postBytes, String netMicrodenarii) {}

  StandingOut standingOut() {
    return jdbc.sql(
            """
            select (select count(*) from account where state = 'suspended'),
              (select count(*) from credit_account where blocked),
              short.low, short.exhausted, short.below_zero,
              (select count(distinct account) from credit_quota where cut)
            from (select count(*) filter (where c.state = 'LOW') low,
                count(*) filter (where c.state = 'EXHAUSTED') exhausted,
                count(*) filter (where c.balance_microdenarii < 0) below_zero
              from credit_account c join account a on a.id = c.account
              where a.role = 'user' and (c.state <> 'SUFFICIENT' or c.balance_microdenarii < 0)) short
            """)
        .query((row, _) ->
            new StandingOut(
                row.getLong(1),
                row.getLong(2),
                row.getLong(3),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6)))
        .single();
  }

  Waiting waiting(Instant now) {
    return jdbc.sql(
            """
            select (select count(*) from held_report where state = 'HELD'),
              (select count(*) from charging_interval i join snapt_report r on r.interval_id = i.id
                join receipt_refusal f on f.digest = r.digest
                where i.state = 'PROVISIONAL' and f.reason = 'COUNTS_DIFFER'),
              (select count(*) from charging_interval where state = 'PROVISIONAL'),
              (select count(*) from charging_interval where state = 'CORRECTED' and grace_ends_at < ?),
              lag.seconds, lag.latest
            from (select avg(extract(epoch from received_at - ended_at)) as seconds, max(received_at) as latest
              from (select received_at, ended_at from charging_interval order by id desc limit 100) last) lag
            """)
        .param(Timestamp.from(now))
        .query((row, _) -> {
          Timestamp latest = row.getTimestamp(6);
          return new Waiting(
              row.getLong(1),
              row.getLong(2),
              row.getLong(3),
              row.getLong(4),
              row.getObject(5) == null ? null : (Double) row.getDouble(5),
              latest == null ? null : latest.toInstant());
        })
        .single();
  }

  /// Returns the hours of the last day that had charges, oldest first.
  List<HourSum> hours(Instant now) {
    Instant from =
        now.atZone(ZoneOffset.UTC).truncatedTo(ChronoUnit.HOURS).minusHours(23).toInstant();
    return jdbc.sql(
            """
            select date_trunc('hour', c.started_at, 'UTC'), count(*), sum(c.pre_bytes)::bigint, sum(c.post_bytes)::bigint,
              sum(c.net)::bigint
            from current_charge c where c.started_at >= ? and c.started_at <= ?
              and c.interval_id not in (select id from charging_interval where state = 'VOID')
            group by 1 order by 1
            """)
        .param(Timestamp.from(from))
        .param(Timestamp.from(now))
        .query((row, _) ->
            new HourSum(
                row.getTimestamp(1).toInstant(),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5)))
        .list();
  }
}
