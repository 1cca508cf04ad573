package io.viaduct.billing.settlement;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Sums the charges of accounts and checks whether one more report stays within the bounds. An
/// instance lives for one database transaction, which keeps the rows of the accounts locked.
///
/// An interval counts in the minute (UTC) in which it ends, for all SNAPTs and sessions together. A
/// report longer than a minute may have the bound once for each minute that it has begun. Void
/// intervals do not count, nor do those that a report of their SNAPT would replace. Charges count
/// with their fees and before their discount.
final class AccountBounds {
  private record Minute(String account, Instant begin) {
    static Minute of(MeasuredInterval report) {
      return new Minute(report.account(), report.endedAt().truncatedTo(ChronoUnit.MINUTES));
    }
  }

  private final SettlementRules.Bounds bounds;
  private final Map<Minute, MicroDenarii> charged = new HashMap<>();
  private final Map<String, MicroDenarii> unsigned = new HashMap<>();

  private AccountBounds(SettlementRules.Bounds bounds) {
    this.bounds = bounds;
  }

  static AccountBounds load(
      JdbcClient jdbc, SettlementRules.Bounds bounds, List<MeasuredInterval> reports) {
    AccountBounds loaded = new AccountBounds(bounds);
    List<Minute> minutes = reports.stream().map(Minute::of).distinct().toList();
    jdbc.sql(
            """
            select u.account, u.begin, sum(r.gross)
            from unnest(?::text[], ?::text[]::timestamptz[]) u(account, begin)
            join charging_interval i on i.account = u.account
              and i.ended_at >= u.begin and i.ended_at < u.begin + interval '1 minute' and i.state not in ('VOID', 'FINAL_PROVISIONAL')
            join snapt_report r on r.interval_id = i.id group by 1, 2
            """)
        .param(minutes.stream().map(Minute::account).toArray(String[]::new))
        .param(minutes.stream().map(m -> m.begin().toString()).toArray(String[]::new))
        .query(row -> {
          loaded.charged.put(
              new Minute(row.getString(1), row.getTimestamp(2).toInstant()),
              new MicroDenarii(row.getLong(3)));
        });
    Set<String> accounts =
        reports.stream().map(MeasuredInterval::account).collect(Collectors.toSet());
    jdbc.sql(
            """
            select i.account, sum(r.gross) from charging_interval i
            join snapt_report r on r.interval_id = i.id
            where i.state = 'PROVISIONAL' and i.account = any(?) group by 1
            """)
        .param(accounts.toArray(String[]::new))
        .query(row -> {
          loaded.unsigned.put(row.getString(1), new MicroDenarii(row.getLong(2)));
        });
    return loaded;
  }

  /// Returns the bound that a report would exceed, or empty. A report that an operator releases is
  /// not bounded.
  Optional<Obstacle> excess(MeasuredInterval report, MicroDenarii charge) {
    if (report.evidence().release() != null) {
      return Optional.empty();
    }
    long minutes =
        Math.max(
            1,
            Math.ceilDiv(
                Duration.between(report.startedAt(), report.endedAt()).toMillis(), 60_000L));
    MicroDenarii bound = new MicroDenarii(Math.multiplyExact(bounds.charge().value(), minutes));
    MicroDenarii sum = sumOf(charged, Minute.of(report)).plus(charge);
    if (sum.compareTo(bound) > 0) {
      return Optional.of(
          new Obstacle(
              HoldReason.OVER_CHARGE_BOUND,
              "the account's charges of this minute would be %s, the bound is %s"
                  .formatted(sum.denarii(), bound.denarii())));
    }
    MicroDenarii unsignedSum = sumOf(unsigned, report.account()).plus(charge);
    if (!report.evidence().isSufficient() && unsignedSum.compareTo(bounds.unsigned()) > 0) {
      return Optional.of(
          new Obstacle(
              HoldReason.OVER_UNSIGNED_BOUND,
              "the account's unsigned charges would be %s, the bound is %s"
                  .formatted(unsignedSum.denarii(), bounds.unsigned().denarii())));
    }
    return Optional.empty();
  }

  /// Adds a report that is posted.
  void add(MeasuredInterval report, MicroDenarii charge) {
    charged.merge(Minute.of(report), charge, MicroDenarii::plus);
    if (!report.evidence().isSufficient()) {
      unsigned.merge(report.account(), charge, MicroDenarii::plus);
    }
  }

  private static <K> MicroDenarii sumOf(Map<K, MicroDenarii> sums, K key) {
    return sums.getOrDefault(key, MicroDenarii.ZERO);
  }
}
