package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.Credits;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.TopUps;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Posts and lists money that an operator gives back: a credit, or the refund of a charge.
@RestController
@RequestMapping("/api/v1/accounts/{id}/credits")
@Tag(name = "accounts")
class CreditsResource {
  private static final int REASON_LENGTH_MAX = 256;

  private final Accounts accounts;
  private final Credits credits;
  private final AccountBroadcast events;
  private final InstantSource clock;

  CreditsResource(
      Accounts accounts, Credits credits, AccountBroadcast events, InstantSource clock) {
    this.accounts = accounts;
    this.credits = credits;
    this.events = events;
    this.clock = clock;
  }

  record NewCredit(String amountMicrodenarii, String reason, @Nullable String charge) {
    NewCredit {
      JsonBody.require("amountMicrodenarii", amountMicrodenarii);
      JsonBody.require("reason", reason);
    }
  }

  record CreditView(
      String transaction,
      String kind,
      String account,
      String amountMicrodenarii,
      String reason,
      @Nullable String charge,
      String createdBy,
      Instant createdAt) {
    static CreditView of(Credits.Credit credit) {
      Credits.Request content = credit.content();
      return new CreditView(
          Long.toString(credit.transactionId()),
          content.charge() == null ? "credit" : "refund",
          content.account(),
          content.amount().toString(),
          content.reason(),
          content.charge() == null ? null : content.charge().toString(),
          content.createdBy(),
          credit.createdAt());
    }
  }

  record CreditList(List<CreditView> credits, @Nullable String next) {}

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.IDEMPOTENCY_KEY_REUSED,
    ProblemType.REFUND_EXCEEDS_CHARGE
  })
  @PostMapping
  @Operation(
      summary =
          "Give an account a credit, as an operator; with 'charge' it is the refund of that charge."
              + " Posted once for each Idempotency-Key",
      operationId = "giveCredit",
      responses = {
        @ApiResponse(responseCode = "201", description = "Posted"),
        @ApiResponse(responseCode = "200", description = "The same was posted before")
      })
  ResponseEntity<CreditView> give(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(PostedMoney.HEADER) String key,
      @RequestBody NewCredit wanted) {
    Credits.Request credit =
        new Credits.Request(
            PostedMoney.key(key),
            id,
            PostedMoney.amount(wanted.amountMicrodenarii(), TopUps.MICRODENARII_MAX),
            reason(wanted.reason()),
            charge(wanted.charge()),
            caller.account());
    CallerAccess.visible(caller, accounts, id);
    return switch (credits.post(credit, clock.instant())) {
      case Credits.Result.Posted(Credits.Credit posted) -> {
        events.changed(id, credit.charge() == null ? List.of() : List.of(credit.charge()));
        yield ResponseEntity.status(HttpStatus.CREATED).body(CreditView.of(posted));
      }
      case Credits.Result.AlreadyPosted(Credits.Credit posted) ->
          ResponseEntity.ok(CreditView.of(posted));
      case Credits.Result.KeyTaken _ ->
          throw PostedMoney.reused(key, "account, amount, reason or charge");
      case Credits.Result.NoSuchCharge _ ->
          throw ProblemException.invalid(
              "charge must be the id of a charge of account '%s', got '%s'"
                  .formatted(id, credit.charge()));
      case Credits.Result.ExceedsCharge(var refundable) ->
          throw new ProblemException(
              ProblemType.REFUND_EXCEEDS_CHARGE,
              "of charge %s %s µden may still be refunded, got %s"
                  .formatted(credit.charge(), refundable, credit.amount()));
    };
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping
  @Operation(
      summary = "Credits and refunds of an account with their reasons, latest first",
      operationId = "listCredits")
  CreditList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<CreditView> page =
        Page.latestFirst(
                "credits\n" + id,
                cursor,
                limit,
                (before, rows) -> credits.page(id, before, rows),
                Credits.Credit::transactionId)
            .as(CreditView::of);
    return new CreditList(page.items(), page.next());
  }

  private static String reason(String reason) {
    if (reason.isBlank()) {
      throw ProblemException.invalid("reason must say why, in 1 to 256 characters: it is empty");
    }
    return PlainText.require("reason", reason, REASON_LENGTH_MAX);
  }

  private static @Nullable Long charge(@Nullable String id) {
    if (id == null) {
      return null;
    }
    if (!id.matches("[0-9]{1,18}")) {
      throw ProblemException.invalid("charge must be the id of a charge, or be left out");
    }
    return Long.valueOf(id);
  }
}
