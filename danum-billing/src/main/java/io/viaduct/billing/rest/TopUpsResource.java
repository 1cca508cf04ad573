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
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/// Credit, given by an operator.
@RestController
@Tag(name = "accounts")
class TopUpsResource {
  private final Accounts accounts;
  private final TopUps topUps;
  private final AccountEvents events;
  private final InstantSource clock;

  TopUpsResource(Accounts accounts, TopUps topUps, AccountEvents events, InstantSource clock) {
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

  @PostMapping("/api/v1/accounts/{id}/top-ups")
  @Operation(
      summary = "Top up an account, as an operator; once for each Idempotency-Key",
      operationId = "topUp",
      responses = {
        @ApiResponse(responseCode = "201", description = "Posted"),
        @ApiResponse(responseCode = "200", description = "The same was posted before"),
        @ApiResponse(responseCode = "409", description = "The key was used for something else")
      })
  ResponseEntity<TopUpView> topUp(
      Caller caller,
      @PathVariable String id,
      @RequestHeader("Idempotency-Key") String key,
      @RequestBody NewTopUp wanted) {
    BearerCheck.requireOperator(caller);
    if (!key.matches("[\\x21-\\x7e]{1,128}")) {
      throw ProblemException.invalid(
          "the header Idempotency-Key must be 1 to 128 printable characters without blanks");
    }
    if (wanted.reference().length() > 256 || !JsonBody.printable(wanted.reference())) {
      throw ProblemException.invalid(
          "reference must have at most 256 characters, none of them a control character");
    }
    MicroDenarii amount = amount(wanted.amountMicrodenarii());
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
          throw new ProblemException(
              ProblemType.IDEMPOTENCY_KEY_REUSED,
              "the key '" + key + "' has another account, amount or reference: take a new key");
    };
  }

  private static MicroDenarii amount(String text) {
    if (!text.matches("[0-9]{1,16}")
        || Long.parseLong(text) < 1
        || Long.parseLong(text) > TopUps.MICRODENARII_MAX) {
      throw ProblemException.invalid(
          "amountMicrodenarii must be a whole number from 1 to " + TopUps.MICRODENARII_MAX);
    }
    return new MicroDenarii(Long.parseLong(text));
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
