package io.viaduct.billing.rest;

import io.micrometer.core.instrument.MeterRegistry;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.security.SecurityRequirements;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.TopUps;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.PaymentsSettings;
import io.viaduct.billing.payment.PaymentEvent;
import io.viaduct.billing.payment.Payments;
import io.viaduct.billing.webhook.WebhookSignature;
import io.viaduct.service.configuration.Secret;
import io.viaduct.service.digest.Sha256;
import io.viaduct.service.operations.LabelledCounters;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Receives the events of the payment provider. The signature over the body is checked before
/// anything of it is read.
@RestController
@Tag(name = "payments")
class PaymentWebhookResource {
  private static final Logger LOG = LoggerFactory.getLogger(PaymentWebhookResource.class);
  private static final String PAID = "payment.paid";
  private static final Set<String> TYPES = Set.of(PAID, "payment.failed");

  /// A provider may add members to its events.
  private static final JsonMapper JSON =
      JsonBody.mapper()
          .rebuild()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private static final int BYTES_MAX = 16 * 1024;

  /// Effect of an event.
  enum Outcome {
    POSTED,
    FAILED,
    REPEATED,
    OTHER_BODY,
    UNKNOWN_PAYMENT,
    UNKNOWN_ACCOUNT,
    WRONG_AMOUNT,
    PAID_BEFORE,
    WRONG_SIGNATURE,
    STALE_SIGNATURE,
    MALFORMED,
    OTHER_TYPE
  }

  private final Payments payments;
  private final PaymentsSettings settings;
  private final @Nullable WebhookSignature signature;
  private final AccountBroadcast events;
  private final InstantSource clock;
  private final LabelledCounters<Outcome> outcomes;

  PaymentWebhookResource(
      Payments payments,
      BillingConfiguration configuration,
      AccountBroadcast events,
      InstantSource clock,
      MeterRegistry registry) {
    this.payments = payments;
    this.settings = configuration.payments();
    this.events = events;
    this.clock = clock;
    signature =
        settings.page().isEmpty() ? null : new WebhookSignature(Secret.of(settings.secretFile()));
    outcomes =
        LabelledCounters.register(
            registry,
            "viaduct_payment_events",
            "Events of the payment provider, by outcome",
            "outcome",
            Outcome.class);
  }

  /// The body of an event. Other keys of a provider are ignored.
  ///
  /// @param type `payment.paid` or `payment.failed`; other types are answered and ignored
  record ProviderEvent(
      String id, String type, String payment, String account, String amountMicrodenarii) {}

  record TakenEvent(String outcome) {}

  @Refuses({
    ProblemType.NO_PROVIDER,
    ProblemType.SIGNATURE_REFUSED,
    ProblemType.PAYMENT_REFUSED,
    ProblemType.IDEMPOTENCY_KEY_REUSED
  })
  @SecurityRequirements
  @PostMapping("/api/v1/payments/events")
  @Operation(
      summary = "An event of the payment provider; its id is its idempotency key",
      description =
          "Viaduct-Signature is t=<seconds since 1970>,v1=<hex of HMAC-SHA256 over <seconds>.<body>>"
              + " with the secret of payments.secret-file. An answer other than 2xx means: deliver it"
              + " again later.",
      operationId = "takePaymentEvent",
      requestBody =
          @io.swagger.v3.oas.annotations.parameters.RequestBody(
              required = true,
              content =
                  @Content(
                      mediaType = "application/json",
                      schema = @Schema(implementation = ProviderEvent.class))))
  TakenEvent take(
      @RequestHeader(name = WebhookSignature.HEADER, required = false) @Nullable String signed,
      HttpServletRequest request)
      throws IOException {
    byte[] body = request.getInputStream().readNBytes(BYTES_MAX + 1);
    requireSignature(signed, body);
    ProviderEvent event = parse(body);
    if (!TYPES.contains(event.type())) {
      outcomes.increment(Outcome.OTHER_TYPE);
      return new TakenEvent("ignored");
    }
    Payments.Outcome outcome = payments.take(event(event, body), clock.instant());
    outcomes.increment(Outcome.valueOf(outcome.name()));
    return switch (outcome) {
      case POSTED -> {
        events.changed(event.account(), List.of());
        yield new TakenEvent("posted");
      }
      case FAILED, REPEATED -> new TakenEvent(outcome.name().toLowerCase(Locale.ROOT));
      case OTHER_BODY -> throw PostedMoney.reused(event.id(), "event");
      case UNKNOWN_PAYMENT, UNKNOWN_ACCOUNT, WRONG_AMOUNT, PAID_BEFORE -> {
        LOG.warn(
            "payment event '{}' of payment '{}' is refused: {}",
            event.id(),
            event.payment(),
            outcome);
        throw new ProblemException(ProblemType.PAYMENT_REFUSED, why(outcome, event));
      }
    };
  }

  private static String why(Payments.Outcome outcome, ProviderEvent event) {
    return switch (outcome) {
      case UNKNOWN_PAYMENT -> "there is no payment '%s'".formatted(event.payment());
      case UNKNOWN_ACCOUNT ->
          "payment '%s' is not for account '%s', or the account is closed"
              .formatted(event.payment(), event.account());
      case WRONG_AMOUNT ->
          "payment '%s' is of another amount than %s µden"
              .formatted(event.payment(), event.amountMicrodenarii());
      default -> "payment '%s' was paid by another event".formatted(event.payment());
    };
  }

  private void requireSignature(@Nullable String signed, byte[] body) {
    if (signature == null) {
      throw new ProblemException(
          ProblemType.NO_PROVIDER, "billing has no payment provider: set payments in its file");
    }
    switch (signature.check(signed, body, clock.instant(), settings.tolerance())) {
      case VALID -> {}
      case WRONG -> {
        outcomes.increment(Outcome.WRONG_SIGNATURE);
        throw new ProblemException(
            ProblemType.SIGNATURE_REFUSED,
            "the header Viaduct-Signature is no signature of this body with the secret of payments.secret-file");
      }
      case STALE -> {
        outcomes.increment(Outcome.STALE_SIGNATURE);
        throw new ProblemException(
            ProblemType.SIGNATURE_REFUSED,
            "the signature is more than %d s away from billing's clock: sign each delivery anew"
                .formatted(settings.tolerance().toSeconds()));
      }
    }
  }

  private ProviderEvent parse(byte[] body) {
    try {
      if (body.length <= BYTES_MAX) {
        JsonNode read = JSON.readTree(body);
        boolean isKnown = TYPES.contains(read.path("type").asString(""));
        // Other members of an event of another type are not for billing.
        ProviderEvent event =
            JSON.treeToValue(isKnown ? read : onlyName(read), ProviderEvent.class);
        if (isWhole(event)) {
          return event;
        }
      }
    } catch (JacksonException e) {
      LOG.debug("a signed event is no JSON object: {}", e.getOriginalMessage());
    }
    outcomes.increment(Outcome.MALFORMED);
    throw ProblemException.invalid(
        "an event is a JSON object of at most %d bytes with the texts id (1 to 128 printable characters), type, payment, account and amountMicrodenarii"
            .formatted(BYTES_MAX));
  }

  private static JsonNode onlyName(JsonNode event) {
    ObjectNode name = JSON.createObjectNode();
    name.set("id", event.path("id"));
    name.set("type", event.path("type"));
    return name;
  }

  private static boolean isWhole(@Nullable ProviderEvent event) {
    return event != null
        && event.id() != null
        && event.id().matches("[\\x21-\\x7e]{1,128}")
        && event.type() != null
        && (!TYPES.contains(event.type())
            || event.payment() != null
                && event.payment().matches("[\\x21-\\x7e]{1,128}")
                && event.account() != null
                && event.account().matches("[\\x21-\\x7e]{1,64}")
                && event.amountMicrodenarii() != null
                && event.amountMicrodenarii().matches("[0-9]{1,16}"));
  }

  private static PaymentEvent event(ProviderEvent event, byte[] body) {
    return new PaymentEvent(
        event.id(),
        Sha256.of(body),
        event.type().equals(PAID),
        event.payment(),
        event.account(),
        PostedMoney.amount(event.amountMicrodenarii(), TopUps.MICRODENARII_MAX));
  }
}
