package io.viaduct.webgui.operator;

import static io.viaduct.webgui.peer.JsonPeer.authorized;

import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.peer.BearerToken;
import io.viaduct.webgui.peer.JsonPeer;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.JsonNode;

/// Billing's REST interface for SNAPTs: enrolment, and the surcharges of their owners.
public final class EnrolledSnapts {
  /// The classes of service, in the order of all lists of prices.
  public static final List<String> CLASSES = List.of("LT_LD", "HT_LD", "LT_HD", "HT_HD");

  private static final BigDecimal MEGABYTES_PER_GIGABYTE = BigDecimal.valueOf(1_000);

  private final JsonPeer peer;

  public EnrolledSnapts(JsonPeer peer) {
    this.peer = peer;
  }

  /// Returns what an owner has earned in the last 31 days.
  public Fees fees(BearerToken token, String owner, int limit, @Nullable String cursor) {
    return peer.get(
        UriComponentsBuilder.fromPath("/owners/{id}/fees")
            .queryParam("limit", "{limit}")
            .queryParam("cursor", "{cursor}")
            .encode()
            .buildAndExpand(owner, limit, cursor == null ? "" : cursor)
            .toUriString(),
        token,
        Fees.class);
  }

  /// Notes in the audit log what an operator is about to order of the bridge.
  ///
  /// @param action `drain` or `undrain`
  public void noteDrain(BearerToken token, String snapt, String action, OptionalLong deadline) {
    Map<String, Object> order = new HashMap<>(Map.of("action", action));
    deadline.ifPresent(seconds -> order.put("deadlineSeconds", seconds));
    var unused =
        peer.post(
            UriComponentsBuilder.fromPath("/snapts/{id}/drain-orders")
                .encode()
                .buildAndExpand(snapt)
                .toUriString(),
            authorized(token),
            order,
            JsonNode.class);
  }

  record SnaptList(List<Fees.OwnSnapt> snapts) {}

  /// Returns the first 500 enrolled SNAPTs that the token may read, of one owner.
  public List<Fees.OwnSnapt> of(BearerToken token, String owner) {
    return peer.get("/snapts?limit=500", token, SnaptList.class).snapts().stream()
        .filter(snapt -> snapt.owner().equals(owner))
        .toList();
  }

  /// Enrols a SNAPT; billing refuses one that is enrolled already.
  public void enrol(BearerToken token, String id, String reportKey, String owner, String region) {
    peer.send(
        HttpMethod.PUT,
        path("/snapts/{id}", id),
        token,
        Map.of("reportKey", reportKey, "owner", owner, "region", region));
  }

  public void remove(BearerToken token, String id) {
    peer.delete(path("/snapts/{id}", id), token);
  }

  /// Stores a version of an owner's surcharge.
  ///
  /// @param perGigabyte denarii by class, as typed
  /// @param from null for now
  /// @throws NumberFormatException if an amount is no number, as [MicroDenarii#ofDenarii] reads it
  public void price(
      BearerToken token, String owner, Map<String, String> perGigabyte, @Nullable Instant from) {
    Map<String, BigDecimal> perMegabyte = new LinkedHashMap<>();
    perGigabyte.forEach((of, denarii) ->
        perMegabyte.put(
            of, MicroDenarii.ofDenarii(denarii).exactly().divide(MEGABYTES_PER_GIGABYTE)));
    Map<String, Object> wanted = new LinkedHashMap<>();
    wanted.put("surcharge", Map.of("denarii-per-megabyte", perMegabyte));
    if (from != null) {
      wanted.put("effectiveFrom", from.toString());
    }
    peer.post(path("/owners/{id}/surcharges", owner), authorized(token), wanted, JsonNode.class);
  }

  private static String path(String template, String id) {
    return UriComponentsBuilder.fromPath(template).encode().buildAndExpand(id).toUriString();
  }
}
