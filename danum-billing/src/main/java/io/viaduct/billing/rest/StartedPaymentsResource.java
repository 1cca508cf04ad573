package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.PaymentsSettings;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.payment.Payment;
import io.viaduct.billing.payment.Payments;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
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

/// Starts payments of a user at the payment provider, and shows what became of them.
@RestController
@RequestMapping("/api/v1/accounts/{id}/payments")
@Tag(name = "payments")
class StartedPaymentsResource {
  private final Accounts accounts;
  private final Payments payments;
  private final PaymentsSettings settings;
  private final InstantSource clock;

  StartedPaymentsResource(
      Accounts accounts,
      Payments payments,
      BillingConfiguration configuration,
      InstantSource clock) {
    this.accounts = accounts;
    this.payments = payments;
    this.settings = configuration.payments();
    this.clock = clock;
  }

  record NewPayment(String amountMicrodenarii) {
    NewPayment {
      JsonBody.require("amountMicrodenarii", amountMicrodenarii);
    }
  }

  record StartedPayment(
      String id,
      String account,
      String amountMicrodenarii,
      Instant startedAt,
      String state,
      @Nullable String transaction,
      @Nullable String payUrl) {}

  record StartedPaymentList(
      List<StartedPayment> payments,
      boolean possible,
      String leastMicrodenarii,
      String mostMicrodenarii,
      @Nullable String next) {}

  @Refuses({
    ProblemType.NOT_FOUND,
    ProblemType.NO_PROVIDER,
    ProblemType.TOO_MANY_ATTEMPTS,
    ProblemType.IDEMPOTENCY_KEY_REUSED
  })
  @PostMapping
  @Operation(
      summary =
          "Start a payment at the provider, once for each Idempotency-Key; payUrl is the page where"
              + " the user pays",
      operationId = "startPayment",
      responses = {
        @ApiResponse(responseCode = "201", description = "Started"),
        @ApiResponse(responseCode = "200", description = "The same was started before")
      })
  ResponseEntity<StartedPayment> start(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestHeader(PostedMoney.HEADER) String key,
      @RequestBody NewPayment wanted) {
    CallerAccess.visible(caller, accounts, id);
    PostedMoney.key(key);
    if (settings.page().isEmpty()) {
      throw new ProblemException(
          ProblemType.NO_PROVIDER,
          "this operator has no payment provider: redeem a voucher, or ask the operator");
    }
    MicroDenarii amount = PostedMoney.amount(wanted.amountMicrodenarii(), TopUps.MICRODENARII_MAX);
    if (amount.compareTo(least()) < 0 || amount.compareTo(most()) > 0) {
      throw ProblemException.invalid(
          "amountMicrodenarii must be %s to %s for a payment, got %s"
              .formatted(least(), most(), amount));
    }
    return switch (payments.start(key, id, amount, clock.instant())) {
      case Payments.Start.Started(Payment payment, boolean isNew) ->
          ResponseEntity.status(isNew ? HttpStatus.CREATED : HttpStatus.OK).body(view(payment));
      case Payments.Start.KeyTaken _ -> throw PostedMoney.reused(key, "account or amount");
      case Payments.Start.TooMany _ ->
          throw new ProblemException(
              ProblemType.TOO_MANY_ATTEMPTS,
              "%d payments of the last day are not paid: pay one of them, or wait"
                  .formatted(Payments.OPEN_MAX),
              Duration.ofHours(1));
    };
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping
  @Operation(
      summary = "Payments of an account at the provider, latest first",
      operationId = "listPayments")
  StartedPaymentList list(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    CallerAccess.visible(caller, accounts, id);
    Page<StartedPayment> page =
        Page.latestFirst(
                "payments\n" + id,
                cursor,
                limit,
                (before, rows) -> payments.page(id, before, rows),
                Payment::number)
            .as(this::view);
    return new StartedPaymentList(
        page.items(),
        !settings.page().isEmpty(),
        least().toString(),
        most().toString(),
        page.next());
  }

  private MicroDenarii least() {
    return MicroDenarii.ofDenarii(settings.least());
  }

  private MicroDenarii most() {
    return MicroDenarii.ofDenarii(settings.most());
  }

  private StartedPayment view(Payment payment) {
    return new StartedPayment(
        payment.id(),
        payment.account(),
        payment.amount().toString(),
        payment.startedAt(),
        payment.state().name().toLowerCase(Locale.ROOT),
        payment.transactionId() == null ? null : payment.transactionId().toString(),
        payment.state() == Payment.State.PAID || settings.page().isEmpty() ? null : page(payment));
  }

  // The provider's event tells account and amount again, so a changed address buys nothing.
  private String page(Payment payment) {
    return "%s%spayment=%s&account=%s&amount=%s"
        .formatted(
            settings.page(),
            settings.page().contains("?") ? "&" : "?",
            payment.id(),
            URLEncoder.encode(payment.account(), StandardCharsets.UTF_8),
            payment.amount());
  }
}
