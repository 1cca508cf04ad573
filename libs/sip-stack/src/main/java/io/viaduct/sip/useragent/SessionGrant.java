package io.viaduct.sip.useragent;

import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// A bridge's permission for a device, sent in a NOTIFY of event package `snapt-session`: the
/// SNAPTs to connect to, and the token that they accept.
///
/// @param sid id of the subscription
/// @param token base64url, not interpreted here
/// @param kid id of the key that signed the token
/// @param expires end of the token
/// @param keys with which the bridge signs directories of SNAPTs; empty if it signs none
/// @param now the bridge's clock; the epoch if it does not tell
/// @param reportSec seconds between usage reports
/// @param icid IMS charging identifier
/// @param credit how the credit of the account stands
public record SessionGrant(
    String sid,
    List<Relay> relays,
    String token,
    String kid,
    Instant expires,
    List<Key> keys,
    Instant now,
    int reportSec,
    String icid,
    Credit credit) {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int RELAYS_MAX = 128; // as many as a signed directory has
  private static final int KEYS_MAX = 16;
  private static final int ADDRESSES_MAX = 8;
  private static final int REGION_MAX = 64;
  private static final int CLASSES_MAX = 4;

  /// State of the account's credit.
  public enum Credit {
    /// The bridge does not say, or says something of a later version.
    UNKNOWN,
    SUFFICIENT,
    LOW,
    /// Nothing is left: SNAPTs refuse flows.
    EXHAUSTED
  }

  /// A key of the bridge.
  ///
  /// @param kid its id
  /// @param key base64url of the Ed25519 key, not interpreted here
  public record Key(String kid, String key) {}

  /// One SNAPT.
  ///
  /// @param controlPort TLS over TCP
  /// @param dataPort UDP
  /// @param prio lower is preferred
  /// @param region location; empty if the bridge tells none
  /// @param prices surcharges of its owner, micro-denarii per gigabyte by class; empty if there are
  ///   none
  /// @param addresses of a host that is a name, as the bridge has looked it up; empty if the host
  ///   is an address, or the bridge tells none
  public record Relay(
      String id,
      String host,
      int controlPort,
      int dataPort,
      int prio,
      String region,
      List<Long> prices,
      List<InetAddress> addresses) {
    public Relay {
      prices = List.copyOf(prices);
      addresses = List.copyOf(addresses);
    }
  }

  public SessionGrant {
    relays = List.copyOf(relays);
    keys = List.copyOf(keys);
  }

  /// Reads the body of a NOTIFY; unknown members are ignored.
  ///
  /// @throws IllegalArgumentException if a member is missing or of another type, or if a text has
  ///   control characters, which would reach a log
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
                relay.required("prio").intValue(),
                region(relay),
                prices(relay),
                addresses(relay)));
      }
      return new SessionGrant(
          text(tree, "sid"),
          relays,
          text(tree, "token"),
          text(tree, "kid"),
          Instant.ofEpochMilli(tree.required("exp").longValue()),
          keys(tree),
          Instant.ofEpochMilli(tree.path("now").longValue(0)),
          tree.required("reportSec").intValue(),
          text(tree, "icid"),
          credit(tree.path("credit").stringValue("")));
    } catch (JacksonException e) {
      throw new IllegalArgumentException("session grant is not of the agreed form", e);
    }
  }

  /// Returns true if the bridge has told its time.
  public boolean tellsTime() {
    return !now.equals(Instant.EPOCH);
  }

  /// Returns how long the token is valid from now on, in ms, by the bridge's own clock. If the
  /// bridge does not tell its time, by ours.
  ///
  /// @param ourMs Unix time in ms by our clock
  long leftMs(long ourMs) {
    return expires.toEpochMilli() - (tellsTime() ? now.toEpochMilli() : ourMs);
  }

  private static List<Key> keys(JsonNode tree) {
    List<Key> keys = new ArrayList<>();
    for (JsonNode each : tree.path("keys")) {
      if (keys.size() == KEYS_MAX) {
        break;
      }
      keys.add(new Key(text(each, "kid"), text(each, "key")));
    }
    return keys;
  }

  private static Credit credit(String word) {
    return switch (word) {
      case "SUFFICIENT" -> Credit.SUFFICIENT;
      case "LOW" -> Credit.LOW;
      case "EXHAUSTED" -> Credit.EXHAUSTED;
      default -> Credit.UNKNOWN;
    };
  }

  // A literal that cannot be one of a host is left out: the name is there all the same.
  private static List<InetAddress> addresses(JsonNode relay) {
    List<InetAddress> addresses = new ArrayList<>();
    for (JsonNode each : relay.path("addresses")) {
      if (addresses.size() == ADDRESSES_MAX) {
        break;
      } else if (!each.isString()) {
        continue;
      }
      try {
        InetAddress address = InetAddress.ofLiteral(each.stringValue());
        if (!address.isAnyLocalAddress()
            && !address.isMulticastAddress()
            && !address.isLinkLocalAddress()) {
          addresses.add(address);
        }
      } catch (IllegalArgumentException _) {
        continue;
      }
    }
    return addresses;
  }

  // Members that are not as agreed are left out: they only inform.
  private static String region(JsonNode relay) {
    String region = relay.path("region").stringValue("");
    return region.length() <= REGION_MAX && region.chars().noneMatch(Character::isISOControl)
        ? region
        : "";
  }

  private static List<Long> prices(JsonNode relay) {
    List<Long> prices = new ArrayList<>();
    for (JsonNode each : relay.path("prices")) {
      if (prices.size() == CLASSES_MAX || !each.canConvertToLong()) {
        break;
      }
      prices.add(each.longValue());
    }
    return prices;
  }

  private static String text(JsonNode parent, String name) {
    String text = parent.required(name).stringValue();
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(name + " must not hold control characters");
    }
    return text;
  }

  /// Leaves out the token, which is a credential.
  @Override
  public String toString() {
    return "session grant " + sid + " for " + relays + " until " + expires;
  }
}
