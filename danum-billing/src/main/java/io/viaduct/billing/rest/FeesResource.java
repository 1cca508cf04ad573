package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
import io.viaduct.billing.ledger.MicroDenarii;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves what the owner of SNAPTs has earned: the postings of the provider's account, by day of
/// the posting (UTC) and SNAPT. The owner reads the own ones, operators and auditors all.
@RestController
@Tag(name = "snapts")
class FeesResource {
  /// Longest time that is summed in one request.
  private static final Duration RANGE_MAX = Duration.ofDays(366);

  private static final Duration RANGE_DEFAULT = Duration.ofDays(31);

  private final JdbcClient jdbc;
  private final Ledger ledger;
  private final InstantSource clock;

  FeesResource(JdbcClient jdbc, Ledger ledger, InstantSource clock) {
    this.jdbc = jdbc;
    this.ledger = ledger;
    this.clock = clock;
  }

  /// What one SNAPT has earned on one day.
  ///
  /// @param intervals intervals with a posting on that day
  record DayFee(LocalDate day, String snapt, String feeMicrodenarii, long intervals) {}

  /// @param earnedMicrodenarii all fees until now, less what was taken back
  record FeeList(
      String owner, String earnedMicrodenarii, List<DayFee> fees, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/owners/{id}/fees")
  @Operation(
      summary = "Fees of an owner of SNAPTs by day (UTC) and SNAPT, latest day first",
      description = "Without from and to: the last 31 days. At most 366 days.",
      operationId = "listFees")
  FeeList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String from,
      @RequestParam(defaultValue = "") String to,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "100") int limit) {
    if (!id.matches("[A-Za-z0-9._-]{1,64}")) {
      throw ProblemException.notFound();
    }
    CallerAccess.requireOwnSnapts(caller, id);
    TimeRange range = TimeRange.of(from, to);
    Instant end = range.to() == null ? clock.instant() : range.to();
    Instant begin = range.from() == null ? end.minus(RANGE_DEFAULT) : range.from();
    if (Duration.between(begin, end).compareTo(RANGE_MAX) > 0) {
      throw ProblemException.invalid("from and to may be 366 days apart at most");
    }
    String scope = "fees\n" + id;
    Cursor.Named seen = Cursor.named(scope, cursor);
    Page<DayFee> page =
        Page.of(
            fees(id, begin, end, seen, Page.limit(limit) + 1),
            limit,
            last -> Cursor.after(scope, new Cursor.Named(last.day().toEpochDay(), last.snapt())));
    MicroDenarii earned = ledger.balance(LedgerAccount.provider(id));
    return new FeeList(id, earned.toString(), page.items(), page.next());
  }

  private List<DayFee> fees(
      String owner, Instant from, Instant to, Cursor.@Nullable Named seen, int limit) {
    return jdbc.sql(
            """
            select * from (
              select (t.posted_at at time zone 'UTC')::date as day, i.snapt_id as snapt,
                sum(p.amount_microdenarii)::text as fee, count(distinct i.id) as intervals
              from posting p
                join ledger_transaction t on t.id = p.transaction_id
                join charging_interval i on i.id = t.interval_id
              where p.account = :account and t.posted_at >= :from and t.posted_at < :to
              group by 1, 2) summed
            where day < :day or (day = :day and snapt > :snapt collate "C")
            order by day desc, snapt collate "C" limit :limit
            """)
        .param("account", LedgerAccount.provider(owner).name())
        .param("from", Timestamp.from(from))
        .param("to", Timestamp.from(to))
        .param("day", seen == null ? LocalDate.of(9999, 1, 1) : LocalDate.ofEpochDay(seen.number()))
        .param("snapt", seen == null ? "" : seen.name())
        .param("limit", limit)
        .query((row, _) ->
            new DayFee(
                row.getObject(1, LocalDate.class),
                row.getString(2),
                row.getString(3),
                row.getLong(4)))
        .list();
  }
}
