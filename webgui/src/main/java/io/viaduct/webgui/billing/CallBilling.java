package io.viaduct.webgui.billing;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import org.springframework.web.util.UriComponentsBuilder;

/// Billing's REST interface for calls of other nodes.
public final class CallBilling {
  private final JsonPeer peer;

  public CallBilling(JsonPeer peer) {
    this.peer = peer;
  }

  /// The latest calls of an account.
  public CallList latest(BearerToken token, String account, int limit) {
    return peer.get(
        UriComponentsBuilder.fromPath("/accounts/{account}/calls")
            .queryParam("limit", limit)
            .encode()
            .buildAndExpand(account)
            .toUriString(),
        token,
        CallList.class);
  }
}
