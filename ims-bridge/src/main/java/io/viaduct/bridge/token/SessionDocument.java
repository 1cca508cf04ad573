package io.viaduct.bridge.token;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.viaduct.bridge.directory.Relay;
import io.viaduct.bridge.directory.RelayAddresses;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.token.TokenIssuer.IssuedToken;
import io.viaduct.sip.guard.GuardLimits;
import io.viaduct.usage.v1.TokenKey;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// The bodies of event package `snapt-session`: reads that of a SUBSCRIBE and writes that of a
/// NOTIFY.
final class SessionDocument {
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final int KEY_BYTES = 32;

  /// Longest body of a NOTIFY: what a user agent takes.
  static final int BODY_BYTES_MAX = GuardLimits.STANDARD.bodyBytes();

  private SessionDocument() {}

  private record Body(
      String sid,
      List<RelayLine> relays,
      String token,
      String kid,
      long exp,
      long now,
      List<KeyLine> keys,
      @JsonProperty("reportSec") long reportSec,
      String icid,
      String credit) {}

  /// A key with which the bridge signs directories of SNAPTs.
  ///
  /// @param key Ed25519, 32 bytes raw, as base64url
  private record KeyLine(String kid, String key) {}

  /// @param region location; omitted if empty
  /// @param prices micro-denarii per gigabyte by class, beside the tariff; omitted if empty
  /// @param addresses addresses of a host that is given by name; omitted if empty
  private record RelayLine(
      String id,
      String host,
      int controlPort,
      int dataPort,
      int prio,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) String region,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Long> prices,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> addresses) {}

  /// Writes the body of a NOTIFY. A list that is too long for it ends early: the SNAPTs that
  /// devices try first are in it, and of the others those behind a place that the device's key
  /// decides. So the devices of a large fleet spread over all its SNAPTs.
  ///
  /// @param first ids of the SNAPTs that devices try first, in this order; each device has its own
  ///   order of the others
  /// @param deviceKey public key of the device
  /// @param addresses looks up the addresses of a SNAPT's host
  /// @param keys with which the bridge signs directories of SNAPTs
  /// @param nowMs the bridge's Unix time, by which devices judge the age of a directory
  /// @param reportSec seconds between usage reports
  /// @param credit how the credit of the account stands
  static String notify(
      String sid,
      List<Relay> relays,
      List<String> first,
      byte[] deviceKey,
      RelayAddresses addresses,
      IssuedToken token,
      List<TokenKey> keys,
      long nowMs,
      long reportSec,
      String icid,
      CreditState credit) {
    List<RelayLine> lines = new ArrayList<>();
    Body body =
        new Body(
            sid,
            lines,
            token.text(),
            token.keyId(),
            token.expires().toEpochMilli(),
            nowMs,
            keys.stream().map(SessionDocument::line).toList(),
            reportSec,
            icid,
            credit.name());
    int room = BODY_BYTES_MAX - bytes(body);
    for (Relay relay : inOrder(relays, first, deviceKey)) {
      RelayLine line = line(relay, first, addresses);
      room -= bytes(line) + 1; // a comma
      if (room < 0) {
        break;
      }
      lines.add(line);
    }
    return JSON.writeValueAsString(body);
  }

  private static int bytes(Object value) {
    return JSON.writeValueAsBytes(value).length;
  }

  private static List<Relay> inOrder(List<Relay> relays, List<String> first, byte[] deviceKey) {
    List<Relay> ordered = new ArrayList<>();
    List<Relay> others = new ArrayList<>();
    for (Relay each : relays) {
      (first.contains(each.id()) ? ordered : others).add(each);
    }
    ordered.sort(Comparator.comparingInt(relay -> rank(relay.id(), first)));
    Collections.rotate(
        others, -Math.floorMod(Arrays.hashCode(deviceKey), Math.max(1, others.size())));
    ordered.addAll(others);
    return ordered;
  }

  private static RelayLine line(Relay relay, List<String> first, RelayAddresses addresses) {
    return new RelayLine(
        relay.id(),
        relay.host(),
        relay.controlPort(),
        relay.dataPort(),
        rank(relay.id(), first),
        relay.region(),
        relay.surcharges(),
        addresses.of(relay.host()).stream().map(InetAddress::getHostAddress).toList());
  }

  private static KeyLine line(TokenKey key) {
    return new KeyLine(
        key.getKeyId(),
        Base64.getUrlEncoder().withoutPadding().encodeToString(key.getPublicKey().toByteArray()));
  }

  private static int rank(String id, List<String> first) {
    int place = first.indexOf(id);
    return place < 0 ? first.size() : place;
  }

  /// Reads the device's key from `{"deviceKey":"<base64url>"}`.
  ///
  /// @throws IllegalArgumentException if it is not 32 bytes
  static byte[] deviceKey(String json) {
    try {
      byte[] key =
          Base64.getUrlDecoder().decode(JSON.readTree(json).required("deviceKey").stringValue());
      if (key.length != KEY_BYTES) {
        throw new IllegalArgumentException("deviceKey must be 32 bytes, got " + key.length);
      }
      return key;
    } catch (JacksonException e) {
      throw new IllegalArgumentException("body must be {\"deviceKey\": base64url}", e);
    }
  }
}
