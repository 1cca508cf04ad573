package io.viaduct.sip.useragent;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What the bridge grants a device in a NOTIFY of event package `snapt-session`: where it may
/// connect, and the token that proves it.
///
/// @param sid of the subscription
/// @param token base64url, opaque here
/// @param kid key that signed the token
/// @param expires of the token
/// @param reportSec seconds between usage reports
/// @param icid IMS charging identifier
public record SessionGrant(
    String sid,
    List<Relay> relays,
    String token,
    String kid,
    Instant expires,
    int reportSec,
    String icid) {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int RELAYS_MAX = 64;

  /// One SNAPT.
  ///
  /// @param controlPort TLS over TCP
  /// @param dataPort UDP
  /// @param prio the lower, the more preferred
  public record Relay(String id, String host, int controlPort, int dataPort, int prio) {}

  public SessionGrant {
    relays = List.copyOf(relays);
  }

  /// Reads the body of a NOTIFY; unknown members are ignored.
  ///
  /// @throws IllegalArgumentException if a member is missing, of another type, or a text with
  ///   control characters, which would end in a log
  public static SessionGrant parse(String json) {
    try {
      JsonNode tree = JSON.readTree(json);
      List<Relay> relays = new ArrayList<>();
      for (JsonNode relay : tree.required("relays")) {
        if (relays.size() == RELAYS_MAX) {
          break;
        }
        relays.add(
            new Relay(
                text(relay, "id"),
                text(relay, "host"),
                relay.required("controlPort").intValue(),
                relay.required("dataPort").intValue(),
                relay.required("prio").intValue()));
      }
      return new SessionGrant(
          text(tree, "sid"),
          relays,
          text(tree, "token"),
          text(tree, "kid"),
          Instant.ofEpochMilli(tree.required("exp").longValue()),
          tree.required("reportSec").intValue(),
          text(tree, "icid"));
    } catch (JacksonException e) {
      throw new IllegalArgumentException("session grant is not of the agreed form", e);
    }
  }

  private static String text(JsonNode parent, String name) {
    String text = parent.required(name).stringValue();
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(name + " must not hold control characters");
    }
    return text;
  }

  /// Without the token, which is a credential.
  @Override
  public String toString() {
    return "session grant " + sid + " for " + relays + " until " + expires;
  }
}
