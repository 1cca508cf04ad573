package io.viaduct.webgui.operator;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import io.viaduct.webgui.tariff.TariffTrial;
import io.viaduct.webgui.tariff.TrialRun;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for re-rating.
public final class ReratingBilling {
  /// Billing ends a preview by itself before.
  private static final Duration PREVIEW_PATIENCE = Duration.ofSeconds(30);

  private final JsonPeer peer;

  public ReratingBilling(JsonPeer peer) {
    this.peer = peer;
  }

  /// The bills that are made again.
  ///
  /// @param account empty for all accounts
  /// @param serviceClass empty for all classes
  public record Scope(
      Instant from, Instant to, String account, String serviceClass, int tariffVersion) {
    private Map<String, Object> body() {
      Map<String, Object> body = new HashMap<>();
      body.put("from", from.toString());
      body.put("to", to.toString());
      body.put("tariffVersion", tariffVersion);
      if (!account.isEmpty()) {
        body.put("account", account);
      }
      if (!serviceClass.isEmpty()) {
        body.put("serviceClass", serviceClass);
      }
      return body;
    }
  }

  record RunList(List<Rerating> reratings) {}

  /// The latest runs, latest first.
  public List<Rerating> latest(BearerToken token, int limit) {
    return peer.get("/reratings?limit=" + limit, token, RunList.class).reratings();
  }

  /// What a run would change.
  public TariffTrial preview(BearerToken token, Scope scope) {
    return peer.post(
        "/reratings/preview", authorized(token), scope.body(), TariffTrial.class, PREVIEW_PATIENCE);
  }

  /// Begins the same in the background, without billing's bounds.
  ///
  /// @return the trial
  public TrialRun beginPreview(BearerToken token, Scope scope) {
    return peer.post("/tariff-trials", authorized(token), scope.body(), TrialRun.class);
  }

  /// Begins a run, once for each id.
  public void begin(BearerToken token, String id, Scope scope, String reason) {
    Map<String, Object> body = scope.body();
    body.put("reason", reason);
    peer.send(HttpMethod.PUT, at(id, ""), token, body);
  }

  public void stop(BearerToken token, String id) {
    peer.post(at(id, "/stop"), authorized(token), Map.of(), JsonNode.class);
  }

  public void resume(BearerToken token, String id) {
    peer.post(at(id, "/resume"), authorized(token), Map.of(), JsonNode.class);
  }

  private static String at(String id, String action) {
    return UriComponentsBuilder.fromPath("/reratings/{id}")
            .encode()
            .buildAndExpand(id)
            .toUriString()
        + action;
  }
}
