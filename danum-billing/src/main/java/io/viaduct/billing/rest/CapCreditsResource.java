package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.settlement.CapCreditList;
import io.viaduct.billing.settlement.CapCreditList.PostedCredit;
import io.viaduct.billing.tariff.Cap;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Serves what the caps of an hour or a day gave back to an account.
@RestController
@Tag(name = "accounts")
class CapCreditsResource {
  private final Accounts accounts;
  private final CapCreditList credits;

  CapCreditsResource(Accounts accounts, CapCreditList credits) {
    this.accounts = accounts;
    this.credits = credits;
  }

  /// @param span `hour` or `day`
  /// @param application null for a day
  record CapCreditView(
      String transaction,
      String span,
      @Nullable String application,
      Instant begin,
      Instant end,
      int tariffVersion,
      String paidMicrodenarii,
      String limitMicrodenarii,
      String amountMicrodenarii,
      @Nullable Instant postedAt) {
    static CapCreditView of(PostedCredit credit) {
      return new CapCreditView(
          Long.toString(credit.transaction()),
          credit.cap() == Cap.ACCOUNT_DAY ? "day" : "hour",
          credit.application().isEmpty() ? null : credit.application(),
          credit.begin(),
          credit.end(),
          credit.tariffVersion(),
          credit.paid().toString(),
          credit.limit().toString(),
          credit.amount().toString(),
          credit.postedAt());
    }
  }

  record CapCreditPage(List<CapCreditView> capCredits, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/cap-credits")
  @Operation(
      summary =
          "What an account paid above the cap of an hour of an application, or of a day, and got"
              + " back, latest first",
      operationId = "listCapCredits")
  CapCreditPage list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<CapCreditView> page =
        Page.latestFirst(
                "cap-credits\n" + id,
                cursor,
                limit,
                (before, rows) -> credits.page(id, before, rows),
                PostedCredit::transaction)
            .as(CapCreditView::of);
    return new CapCreditPage(page.items(), page.next());
  }
}
