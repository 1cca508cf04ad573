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
import org.springframework.jdbc.core.JdbcTemplate;

/// Adds up what accounts have been charged, and judges whether one report more is within the
/// bounds. Lives as long as one database transaction, which holds the rows of the accounts locked.
///
/// An interval counts in the minute (UTC) in which it ends, whatever its SNAPT and session; a
/// report of more than a minute has the bound once for each minute that it began. Void intervals do
/// not count. Charges count before their discount.
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
      JdbcTemplate jdbc, SettlementRules.Bounds bounds, List<MeasuredInterval> reports) {
    AccountBounds loaded = new AccountBounds(bounds);
    List<Minute> minutes = reports.stream().map(Minute::of).distinct().toList();
    jdbc.query(
        """
        select u.account, u.begin, sum(r.charge_microdenarii)
        from unnest(?::text[], ?::text[]::timestamptz[]) u(account, begin)
        join charging_interval i on i.account = u.account
          and i.ended_at >= u.begin and i.ended_at < u.begin + interval '1 minute' and i.state <> 'VOID'
        join snapt_report r on r.interval_id = i.id group by 1, 2
        """,
        row -> {
          loaded.charged.put(
              new Minute(row.getString(1), row.getTimestamp(2).toInstant()),
              new MicroDenarii(row.getLong(3)));
        },
        minutes.stream().map(Minute::account).toArray(String[]::new),
        minutes.stream().map(m -> m.begin().toString()).toArray(String[]::new));
    Set<String> accounts =
        reports.stream().map(MeasuredInterval::account).collect(Collectors.toSet());
    jdbc.query(
        """
        select i.account, sum(r.charge_microdenarii) from charging_interval i
        join snapt_report r on r.interval_id = i.id
        where i.state = 'PROVISIONAL' and i.account = any(?) group by 1
        """,
        row -> {
          loaded.unsigned.put(row.getString(1), new MicroDenarii(row.getLong(2)));
        },
        (Object) accounts.toArray(String[]::new));
    return loaded;
  }

  /// Returns the bound that a report would break, or nothing. A report that an operator releases
  /// breaks none.
  Optional<Obstacle> excess(MeasuredInterval report, MicroDenarii charge) {
    if (report.evidence().release() != null) {
      return Optional.empty();
    }
    long minutes =
        Math.max(
            1,
            Math.ceilDiv(
                Duration.between(report.startedAt(), report.endedAt()).toMillis(), 60_000L));
    MicroDenarii most = new MicroDenarii(Math.multiplyExact(bounds.charge().value(), minutes));
    MicroDenarii all = of(charged, Minute.of(report)).plus(charge);
    if (all.compareTo(most) > 0) {
      return Optional.of(
          new Obstacle(
              HoldReason.OVER_CHARGE_BOUND,
              "with it, the account's charges of this minute are %s micro-denarii, above %s"
                  .formatted(all, most)));
    }
    MicroDenarii open = of(unsigned, report.account()).plus(charge);
    if (!report.evidence().isSufficient() && open.compareTo(bounds.unsigned()) > 0) {
      return Optional.of(
          new Obstacle(
              HoldReason.OVER_UNSIGNED_BOUND,
              "with it, the account's unsigned charges are %s micro-denarii, above %s"
                  .formatted(open, bounds.unsigned())));
    }
    return Optional.empty();
  }

  /// Counts a report that is posted.
  void add(MeasuredInterval report, MicroDenarii charge) {
    charged.merge(Minute.of(report), charge, MicroDenarii::plus);
    if (!report.evidence().isSufficient()) {
      unsigned.merge(report.account(), charge, MicroDenarii::plus);
    }
  }

  private static <K> MicroDenarii of(Map<K, MicroDenarii> sums, K key) {
    return sums.getOrDefault(key, MicroDenarii.ZERO);
  }
}
