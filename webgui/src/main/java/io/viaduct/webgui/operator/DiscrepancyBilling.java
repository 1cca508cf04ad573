package io.viaduct.webgui.operator;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for discrepancies between devices and SNAPTs.
public final class DiscrepancyBilling {
  private final JsonPeer peer;

  public DiscrepancyBilling(JsonPeer peer) {
    this.peer = peer;
  }

  /// A page of discrepancies.
  ///
  /// @param next cursor of the page of older ones, null on the last page
  public record DiscrepancyList(List<Discrepancy> discrepancies, @Nullable String next) {
    public DiscrepancyList {
      discrepancies = List.copyOf(discrepancies);
    }
  }

  /// Discrepancies that are not closed, latest first.
  ///
  /// @param cursor `next` of the previous page; null for the first page
  public DiscrepancyList page(BearerToken token, int limit, @Nullable String cursor) {
    return peer.get(
        UriComponentsBuilder.fromPath("/reports/discrepancies")
            .queryParam("limit", limit)
            .queryParam("cursor", "{cursor}")
            .encode()
            .buildAndExpand(Objects.requireNonNullElse(cursor, ""))
            .toUriString(),
        token,
        DiscrepancyList.class);
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
