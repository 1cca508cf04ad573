package io.viaduct.webgui.account;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import io.viaduct.webgui.peer.JsonPeer.Tagged;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.UriComponentsBuilder;

/// Billing's REST interface for webhooks.
public final class Webhooks {
  /// Kinds of events, in the order of the form.
  static final List<String> EVENTS =
      List.of(
          "balance.low",
          "balance.empty",
          "balance.sufficient",
          "cap.reached",
          "top-up.posted",
          "credit.given",
          "charge.posted");

  /// Kinds of events of the operator.
  static final List<String> OPERATOR_EVENTS = List.of("report.discrepancy", "report.held");

  private final JsonPeer peer;

  public Webhooks(JsonPeer peer) {
    this.peer = peer;
  }

  /// A webhook.
  ///
  /// @param state `active` or `disabled`
  public record Webhook(
      String id,
      String url,
      @Nullable String description,
      List<String> events,
      boolean allAccounts,
      @Nullable String state) {
    public Webhook {
      Objects.requireNonNull(id);
      Objects.requireNonNull(url);
      events = List.copyOf(events);
    }

    public boolean isActive() {
      return "active".equals(state);
    }
  }

  record Page(List<Webhook> webhooks) {}

  record Secret(String secret) {
    Secret {
      Objects.requireNonNull(secret);
    }

    @Override
    public String toString() {
      return "Secret[]";
    }
  }

  /// What a webhook was sent or will be sent.
  ///
  /// @param state `due`, `delivered` or `dead`
  public record Delivery(
      String id,
      String event,
      @Nullable String kind,
      @Nullable String account,
      @Nullable Instant createdAt,
      @Nullable String state,
      int attempts,
      @Nullable String lastError,
      @Nullable Instant lastAttemptAt,
      @Nullable Instant nextAttemptAt) {
    public Delivery {
      Objects.requireNonNull(id);
    }

    /// Returns the state for a text of the pages; an unknown one is `due`.
    public String knownState() {
      return state != null && List.of("delivered", "dead").contains(state) ? state : "due";
    }
  }

  /// @param next cursor of the following page, null on the last page
  public record DeliveryPage(List<Delivery> deliveries, @Nullable String next) {
    public DeliveryPage {
      deliveries = List.copyOf(deliveries);
    }
  }

  List<Webhook> list(BearerToken token, String account) {
    return peer.get(path(account, ""), token, Page.class).webhooks();
  }

  Tagged<Webhook> get(BearerToken token, String account, String id) {
    return peer.getTagged(path(account, id), token, Webhook.class);
  }

  /// Returns the secret of the new webhook, which billing does not show again.
  String make(
      BearerToken token,
      String account,
      String url,
      List<String> events,
      String description,
      boolean allAccounts) {
    Map<String, Object> wanted =
        new HashMap<>(Map.of("url", url, "events", events, "description", description));
    if (allAccounts) {
      wanted.put("allAccounts", true);
    }
    return peer.post(path(account, ""), authorized(token), wanted, Secret.class).secret();
  }

  /// Enables a disabled webhook.
  void enable(BearerToken token, String account, String id) {
    Tagged<Webhook> present = get(token, account, id);
    Map<String, Object> same = new HashMap<>();
    same.put("url", present.value().url());
    same.put("events", present.value().events());
    same.put("description", String.valueOf(present.value().description()));
    same.put("allAccounts", present.value().allAccounts());
    var unused =
        peer.replace(HttpMethod.PUT, path(account, id), token, present.tag(), same, Webhook.class);
  }

  void delete(BearerToken token, String account, String id) {
    peer.delete(path(account, id), token);
  }

  /// Returns the new secret.
  String rotate(BearerToken token, String account, String id) {
    return peer.post(path(account, id) + "/secret", authorized(token), Map.of(), Secret.class)
        .secret();
  }

  DeliveryPage deliveries(
      BearerToken token, String account, String id, int limit, @Nullable String cursor) {
    return peer.get(
        UriComponentsBuilder.fromPath(path(account, id) + "/deliveries")
            .queryParam("limit", limit)
            .queryParam("cursor", cursor == null ? "" : cursor)
            .toUriString(),
        token,
        DeliveryPage.class);
  }

  void resend(BearerToken token, String account, String id, String delivery) {
    peer.send(
        HttpMethod.POST,
        path(account, id)
            + UriComponentsBuilder.fromPath("/deliveries/{delivery}/resend")
                .encode()
                .buildAndExpand(delivery)
                .toUriString(),
        token,
        Map.of());
  }

  private static String path(String account, String id) {
    return UriComponentsBuilder.fromPath(
            id.isEmpty() ? "/accounts/{account}/webhooks" : "/accounts/{account}/webhooks/{id}")
        .encode()
        .buildAndExpand(id.isEmpty() ? new Object[] {account} : new Object[] {account, id})
        .toUriString();
  }
}
