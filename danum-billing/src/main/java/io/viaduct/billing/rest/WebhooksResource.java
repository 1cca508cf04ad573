package io.viaduct.billing.rest;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions.Caller;
import io.viaduct.billing.outbox.Deliveries;
import io.viaduct.billing.outbox.Endpoints;
import io.viaduct.billing.outbox.EventKind;
import io.viaduct.billing.outbox.TargetRules;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/// Manages the webhooks of an account. A user manages the own ones, an operator those of everybody.
/// Only an operator's own endpoint may get the events of all accounts.
@RestController
@RequestMapping("/api/v1/accounts/{id}/webhooks")
@Tag(name = "webhooks")
class WebhooksResource {
  private static final int DESCRIPTION_MAX = 128;

  private final Accounts accounts;
  private final Endpoints endpoints;
  private final Deliveries deliveries;
  private final TargetRules targets;
  private final InstantSource clock;

  WebhooksResource(
      Accounts accounts,
      Endpoints endpoints,
      Deliveries deliveries,
      TargetRules targets,
      InstantSource clock) {
    this.accounts = accounts;
    this.endpoints = endpoints;
    this.deliveries = deliveries;
    this.targets = targets;
    this.clock = clock;
  }

  record WantedWebhook(
      String url,
      List<String> events,
      @Nullable String description,
      @Nullable Boolean allAccounts) {
    WantedWebhook {
      JsonBody.require("url", url);
      JsonBody.require("events", events);
    }
  }

  record WebhookView(
      String id,
      String url,
      String description,
      List<String> events,
      boolean allAccounts,
      String state,
      int failures,
      Instant createdAt) {
    static WebhookView of(Endpoints.Endpoint endpoint) {
      return new WebhookView(
          Long.toString(endpoint.id()),
          endpoint.url(),
          endpoint.description(),
          endpoint.events(),
          endpoint.allAccounts(),
          endpoint.state().name().toLowerCase(Locale.ROOT),
          endpoint.failures(),
          endpoint.createdAt());
    }
  }

  record WebhookSecret(String secret, WebhookView webhook) {
    static WebhookSecret of(Endpoints.WithSecret made) {
      return new WebhookSecret(made.secret(), WebhookView.of(made.endpoint()));
    }

    @Override
    public String toString() {
      return "WebhookSecret[" + webhook + "]";
    }
  }

  record WebhookList(List<WebhookView> webhooks) {}

  record DeliveryView(
      String id,
      String event,
      String kind,
      @Nullable String account,
      Instant createdAt,
      String state,
      int attempts,
      @Nullable Integer lastStatus,
      String lastError,
      @Nullable Instant lastAttemptAt,
      @Nullable Instant nextAttemptAt) {
    static DeliveryView of(Deliveries.Delivery delivery) {
      return new DeliveryView(
          Long.toString(delivery.id()),
          Long.toString(delivery.event()),
          delivery.kind(),
          delivery.account(),
          delivery.createdAt(),
          delivery.state().name().toLowerCase(Locale.ROOT),
          delivery.attempts(),
          delivery.lastStatus(),
          delivery.lastError(),
          delivery.lastAttemptAt(),
          delivery.nextAttemptAt());
    }
  }

  record DeliveryList(List<DeliveryView> deliveries, @Nullable String next) {}

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping
  @Operation(summary = "Webhooks of an account", operationId = "listWebhooks")
  WebhookList list(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
    CallerAccess.visible(caller, accounts, id);
    return new WebhookList(endpoints.list(id).stream().map(WebhookView::of).toList());
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.TOO_MANY_WEBHOOKS})
  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  @Operation(
      summary = "Make a webhook: events are posted to its url, signed",
      description = "The answer shows the secret of the signature once.",
      operationId = "makeWebhook")
  WebhookSecret make(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @RequestBody WantedWebhook wanted) {
    CallerAccess.visible(caller, accounts, id);
    return WebhookSecret.of(
        endpoints
            .create(id, wanted(caller, id, wanted), clock.instant())
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.TOO_MANY_WEBHOOKS,
                    "account '%s' has %d webhooks: delete one"
                        .formatted(id, Endpoints.ENDPOINTS_MAX))));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @Tagged
  @GetMapping("/{webhook}")
  @Operation(summary = "One webhook", operationId = "getWebhook")
  ResponseEntity<WebhookView> get(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String webhook) {
    return tagged(find(caller, id, webhook));
  }

  @Refuses({ProblemType.NOT_FOUND, ProblemType.VERSION_REQUIRED, ProblemType.CHANGED_MEANWHILE})
  @Tagged
  @PutMapping("/{webhook}")
  @Operation(
      summary = "Replace what a webhook is, and enable it again",
      description = "What it has not got is sent to the new url. If-Match must have its ETag.",
      operationId = "putWebhook")
  ResponseEntity<WebhookView> put(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String webhook,
      @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String version,
      @RequestBody WantedWebhook wanted) {
    Endpoints.Endpoint endpoint = find(caller, id, webhook);
    return tagged(
        endpoints
            .replace(id, endpoint.id(), wanted(caller, id, wanted), EntityTag.required(version))
            .orElseThrow(() ->
                new ProblemException(
                    ProblemType.CHANGED_MEANWHILE, "the webhook has changed: read it again")));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @DeleteMapping("/{webhook}")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(summary = "Delete a webhook, with what it has not got", operationId = "deleteWebhook")
  void delete(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String webhook) {
    endpoints.delete(id, find(caller, id, webhook).id());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @PostMapping("/{webhook}/secret")
  @Operation(
      summary = "Give a webhook a new secret",
      description =
          "The answer shows it once. For 24 hours each delivery has a signature by both secrets.",
      operationId = "rotateWebhookSecret")
  WebhookSecret rotate(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String webhook) {
    return WebhookSecret.of(
        endpoints
            .rotate(id, find(caller, id, webhook).id(), clock.instant())
            .orElseThrow(ProblemException::notFound));
  }

  @Refuses(ProblemType.NOT_FOUND)
  @GetMapping("/{webhook}/deliveries")
  @Operation(
      summary = "What a webhook was sent and will be sent, latest first",
      operationId = "listDeliveries")
  DeliveryList deliveries(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String webhook,
      @RequestParam(defaultValue = "") String cursor,
      @RequestParam(defaultValue = "50") int limit) {
    long endpoint = find(caller, id, webhook).id();
    Page<DeliveryView> page =
        Page.latestFirst(
                "deliveries\n" + endpoint,
                cursor,
                limit,
                (before, rows) -> deliveries.page(endpoint, before, rows),
                Deliveries.Delivery::id)
            .as(DeliveryView::of);
    return new DeliveryList(page.items(), page.next());
  }

  @Refuses(ProblemType.NOT_FOUND)
  @PostMapping("/{webhook}/deliveries/{delivery}/resend")
  @ResponseStatus(HttpStatus.NO_CONTENT)
  @Operation(
      summary = "Send a delivery again, whatever became of it",
      operationId = "resendDelivery")
  void resend(
      @AuthenticationPrincipal Caller caller,
      @PathVariable String id,
      @PathVariable String webhook,
      @PathVariable String delivery) {
    long endpoint = find(caller, id, webhook).id();
    if (!deliveries.resend(endpoint, OperatorDecision.id(delivery), clock.instant())) {
      throw ProblemException.notFound();
    }
  }

  private Endpoints.Endpoint find(Caller caller, String id, String webhook) {
    CallerAccess.requireOwn(caller, id);
    return endpoints.find(id, OperatorDecision.id(webhook)).orElseThrow(ProblemException::notFound);
  }

  private Endpoints.Wanted wanted(Caller caller, String id, WantedWebhook wanted) {
    boolean allAccounts = Boolean.TRUE.equals(wanted.allAccounts());
    if (allAccounts && !(caller.mayChangeAll() && caller.account().equals(id))) {
      throw ProblemException.invalid("allAccounts is for operators' webhooks of their own");
    }
    List<String> events = wanted.events().stream().distinct().toList();
    if (events.isEmpty() || !EventKind.words().containsAll(events)) {
      throw ProblemException.invalid("events must be some of " + EventKind.words());
    }
    try {
      targets.require(wanted.url());
    } catch (IllegalArgumentException e) {
      throw ProblemException.invalid(String.valueOf(e.getMessage()));
    }
    String description = wanted.description() == null ? "" : wanted.description().strip();
    return new Endpoints.Wanted(
        allAccounts,
        wanted.url(),
        PlainText.require("description", description, DESCRIPTION_MAX),
        events);
  }

  private static ResponseEntity<WebhookView> tagged(Endpoints.Endpoint endpoint) {
    return ResponseEntity.ok()
        .eTag(EntityTag.of(endpoint.version()))
        .body(WebhookView.of(endpoint));
  }
}
