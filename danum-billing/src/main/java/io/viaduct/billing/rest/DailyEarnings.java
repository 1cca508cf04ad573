package io.viaduct.billing.rest;

import io.viaduct.billing.ledger.LedgerAccount;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Sums what an account of the ledger has earned on traffic: its postings of intervals, by day of
/// the posting (UTC) and SNAPT, latest day first. The sums name no payer.
final class DailyEarnings {
  /// Longest time that is summed in one request.
  private static final Duration RANGE_MAX = Duration.ofDays(366);

  private static final Duration RANGE_DEFAULT = Duration.ofDays(31);

  private final JdbcClient jdbc;
  private final InstantSource clock;

  DailyEarnings(JdbcClient jdbc, InstantSource clock) {
    this.jdbc = jdbc;
    this.clock = clock;
  }

  /// The earnings at one SNAPT on one day.
  ///
  /// @param amount in micro-denarii
  /// @param intervals intervals with a posting on that day
  record Day(LocalDate day, String snapt, String amount, long intervals) {}

  /// A page of a listing, as its request names it. Without a time it is that of the last 31 days.
  ///
  /// @param scope of the cursor: name of the listing and account
  /// @param kind of the transactions; null for all kinds
  record Listing(
      String scope,
      LedgerAccount account,
      @Nullable String kind,
      String from,
      String to,
      String cursor,
      int limit) {}

  /// Returns a page.
  ///
  /// @throws ProblemException if the time is longer than 366 days
  Page<Day> page(Listing of) {
    TimeRange range = TimeRange.of(of.from(), of.to());
    Instant end = range.to() == null ? clock.instant() : range.to();
    Instant begin = range.from() == null ? end.minus(RANGE_DEFAULT) : range.from();
    if (Duration.between(begin, end).compareTo(RANGE_MAX) > 0) {
      throw ProblemException.invalid("from and to may be 366 days apart at most");
    }
    Cursor.Named seen = Cursor.named(of.scope(), 1, of.cursor());
    return Page.of(
        days(of, begin, end, seen, Page.limit(of.limit()) + 1),
        of.limit(),
        last -> Cursor.after(of.scope(), new Cursor.Named(last.day().toEpochDay(), last.snapt())));
  }

  private List<Day> days(
      Listing of, Instant from, Instant to, Cursor.@Nullable Named seen, int limit) {
    return jdbc.sql(
            """
            select * from (
              select (t.posted_at at time zone 'UTC')::date as day, i.snapt_id as snapt,
                sum(p.amount_microdenarii)::text as amount, count(distinct i.id) as intervals
              from posting p
                join ledger_transaction t on t.id = p.transaction_id
                join charging_interval i on i.id = t.interval_id
              where p.account = :account and t.posted_at >= :from and t.posted_at < :to
                and (:kind::text is null or t.kind = :kind)
              group by 1, 2) summed
            where day < :day or (day = :day and snapt > :snapt collate "C")
            order by day desc, snapt collate "C" limit :limit
            """)
        .param("account", of.account().name())
        .param("kind", of.kind())
        .param("from", Timestamp.from(from))
        .param("to", Timestamp.from(to))
        .param("day", seen == null ? LocalDate.of(9999, 1, 1) : LocalDate.ofEpochDay(seen.number()))
        .param("snapt", seen == null ? "" : seen.names().getFirst())
        .param("limit", limit)
        .query((row, _) ->
            new Day(
                row.getObject(1, LocalDate.class),
                row.getString(2),
                row.getString(3),
                row.getLong(4)))
        .list();
  }
}
