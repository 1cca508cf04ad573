package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import org.springframework.web.util.UriComponentsBuilder;

/// Billing's REST interface for sessions in access networks.
public final class AccessBilling {
  private final JsonPeer peer;

  public AccessBilling(JsonPeer peer) {
    this.peer = peer;
  }

  /// The latest sessions of an account.
  public AccessSessions latest(BearerToken token, String account, int limit) {
    return peer.get(
        UriComponentsBuilder.fromPath("/accounts/{account}/access-sessions")
            .queryParam("limit", limit)
            .encode()
            .buildAndExpand(account)
            .toUriString(),
        token,
        AccessSessions.class);
  }
}
