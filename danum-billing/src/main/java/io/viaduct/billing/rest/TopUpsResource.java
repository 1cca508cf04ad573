package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.ledger.MicroDenarii;
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
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/// Posts and lists top-ups: money that a user paid in and an operator posts.
@RestController
@Tag(name = "accounts")
class TopUpsResource {
  private static final int REFERENCE_LENGTH_MAX = 256;

  private final Accounts accounts;
  private final TopUps topUps;
  private final AccountBroadcast events;
  private final InstantSource clock;

  TopUpsResource(Accounts accounts, TopUps topUps, AccountBroadcast events, InstantSource clock) {
    this.accounts = accounts;
    this.topUps = topUps;
    this.events = events;
    this.clock = clock;
  }

  record NewTopUp(String amountMicrodenarii, String reference) {
    NewTopUp {
      JsonBody.require("amountMicrodenarii", amountMicrodenarii);
      JsonBody.require("reference", reference);
    }
  }

  record TopUpView(
      String transaction,
      String account,
      String amountMicrodenarii,
      String reference,
      String createdBy,
      Instant createdAt) {}

  record TopUpList(List<TopUpView> topUps, @Nullable String next) {}

  @Refuses({ProblemType.NOT_FOUND, ProblemType.IDEMPOTENCY_KEY_REUSED})
  @PostMapping("/api/v1/accounts/{id}/top-ups")
  @Operation(
      summary = "Top up an account, as an operator; once for each Idempotency-Key",
      operationId = "topUp",
      responses = {
        @ApiResponse(responseCode = "201", description = "Posted"),
        @ApiResponse(responseCode = "200", description = "The same was posted before")
      })
  ResponseEntity<TopUpView> topUp(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(PostedMoney.HEADER) String key,
      @RequestBody NewTopUp wanted) {
    PostedMoney.key(key);
    PlainText.require("reference", wanted.reference(), REFERENCE_LENGTH_MAX);
    MicroDenarii amount = PostedMoney.amount(wanted.amountMicrodenarii(), TopUps.MICRODENARII_MAX);
    if (accounts.find(id).isEmpty()) {
      throw ProblemException.notFound();
    }
    TopUps.Result result =
        topUps.post(key, id, amount, wanted.reference(), caller.account(), clock.instant());
    return switch (result) {
      case TopUps.Result.Posted(TopUps.TopUp posted) -> {
        events.changed(id, List.of());
        yield ResponseEntity.status(HttpStatus.CREATED).body(view(posted));
      }
      case TopUps.Result.AlreadyPosted(TopUps.TopUp posted) -> ResponseEntity.ok(view(posted));
      case TopUps.Result.KeyTaken _ ->
          throw PostedMoney.reused(key, "account, amount or reference");
    };
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/api/v1/accounts/{id}/top-ups")
  @Operation(
      summary = "Top-ups of an account with operator, time and reference, latest first",
      operationId = "listTopUps")
  TopUpList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<TopUpView> page =
        Page.latestFirst(
                "top-ups\n" + id,
                cursor,
                limit,
                (before, rows) -> topUps.page(id, before, rows),
                TopUps.TopUp::transactionId)
            .as(TopUpsResource::view);
    return new TopUpList(page.items(), page.next());
  }

  private static TopUpView view(TopUps.TopUp topUp) {
    return new TopUpView(
        Long.toString(topUp.transactionId()),
        topUp.account(),
        topUp.amount().toString(),
        topUp.reference(),
        topUp.createdBy(),
        topUp.createdAt());
  }
}
