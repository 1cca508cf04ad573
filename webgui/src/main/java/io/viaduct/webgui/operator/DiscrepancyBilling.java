package io.viaduct.webgui.operator;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.util.List;
import java.util.Map;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for discrepancies between devices and SNAPTs.
public final class DiscrepancyBilling {
  private final JsonPeer peer;

  public DiscrepancyBilling(JsonPeer peer) {
    this.peer = peer;
  }

  record DiscrepancyList(List<Discrepancy> discrepancies) {}

  /// The latest discrepancies that are not closed, latest first.
  public List<Discrepancy> latest(BearerToken token, int limit) {
    return peer.get("/reports/discrepancies?limit=" + limit, token, DiscrepancyList.class)
        .discrepancies();
  }

  public void investigate(BearerToken token, String id, String note) {
    move(token, id, "investigate", note);
  }

  public void close(BearerToken token, String id, String note) {
    move(token, id, "close", note);
  }

  private void move(BearerToken token, String id, String action, String note) {
    peer.post(
        UriComponentsBuilder.fromPath("/reports/discrepancies/{id}/{action}")
            .encode()
            .buildAndExpand(id, action)
            .toUriString(),
        authorized(token),
        Map.of("reason", note),
        JsonNode.class);
  }
}
