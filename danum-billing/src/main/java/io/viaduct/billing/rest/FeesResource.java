package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerAccount;
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
  private final DailyEarnings earnings;
  private final Ledger ledger;

  FeesResource(JdbcClient jdbc, Ledger ledger, InstantSource clock) {
    this.earnings = new DailyEarnings(jdbc, clock);
    this.ledger = ledger;
  }

  /// What one SNAPT has earned on one day.
  ///
  /// @param intervals intervals with a posting on that day
  record DayFee(LocalDate day, String snapt, String feeMicrodenarii, long intervals) {
    static DayFee of(DailyEarnings.Day of) {
      return new DayFee(of.day(), of.snapt(), of.amount(), of.intervals());
    }
  }

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
    LedgerAccount provider = LedgerAccount.provider(id);
    Page<DailyEarnings.Day> page =
        earnings.page(
            new DailyEarnings.Listing("fees\n" + id, provider, null, from, to, cursor, limit));
    return new FeeList(
        id,
        ledger.balance(provider).toString(),
        page.items().stream().map(DayFee::of).toList(),
        page.next());
  }
}
