package io.viaduct.cnapt.peer;

import io.viaduct.cnapt.classification.AddressPrefix;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// The configuration keys `peer: …`: the other end of a tunnel without a SNAPT.
///
/// @param key the other end's public key, as its `cnapt keygen` prints it; empty for a device with
///   a SNAPT
/// @param listen addresses of this host at which it receives; empty if it dials
/// @param dial addresses of the other end; empty if this end listens
/// @param port TCP and UDP port of the end that listens
/// @param prefixes networks behind the other end, and its inner addresses: packets to them enter
///   the tunnel, and only packets from them come out
/// @param probe time between two probes of a path, at the end that dials
/// @param watchdog time without a probe, or an answer, after which traffic leaves a path
public record PeerSettings(
    String key,
    List<String> listen,
    List<String> dial,
    int port,
    List<AddressPrefix> prefixes,
    Duration probe,
    Duration watchdog) {
  private static final Duration PROBE_MIN = Duration.ofMillis(50);
  private static final Duration WATCHDOG_MAX = Duration.ofMinutes(10);
  private static final int PROBES_MIN = 3;

  // Each prefix is a route, and is compared with the source of each packet.
  private static final int PREFIXES_MAX = 64;

  /// Checks the rules of each key and those between keys.
  public PeerSettings {
    listen = List.copyOf(listen);
    dial = List.copyOf(dial);
    prefixes = List.copyOf(prefixes);
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port must be from 1 to 65535, got " + port);
    }
    if (probe.compareTo(PROBE_MIN) < 0) {
      throw new IllegalArgumentException("probe must be at least 50ms, got " + probe);
    }
    if (watchdog.compareTo(probe.multipliedBy(PROBES_MIN)) < 0
        || watchdog.compareTo(WATCHDOG_MAX) > 0) {
      throw new IllegalArgumentException(
          "watchdog must be from three times probe, because one lost probe is normal, to 10m, got %s with a probe of %s"
              .formatted(watchdog, probe));
    }
    if (!key.isEmpty()) {
      decoded(key);
      checkAddresses(listen, dial);
      checkPrefixes(prefixes, dial);
    } else if (!listen.isEmpty() || !dial.isEmpty() || !prefixes.isEmpty()) {
      throw new IllegalArgumentException(
          "key must be given with listen, dial or prefixes: it is the other end's public key, which"
              + " its `cnapt keygen FILE` has printed");
    }
  }

  private static byte[] decoded(String key) {
    byte[] raw = {};
    try {
      raw = Base64.getUrlDecoder().decode(key);
    } catch (IllegalArgumentException _) {
      // the length tells
    }
    if (raw.length != Ed25519.PUBLIC_KEY_LENGTH) {
      throw new IllegalArgumentException(
          "key must be the other end's public key, 43 characters of base64url as `cnapt keygen` prints them, got '%s'"
              .formatted(key));
    }
    return raw;
  }

  private static void checkAddresses(List<String> listen, List<String> dial) {
    if (listen.isEmpty() == dial.isEmpty()) {
      throw new IllegalArgumentException(
          "exactly one of listen and dial must be given, got listen %s and dial %s: one end listens,"
                  .formatted(listen, dial)
              + " the other one dials and measures");
    }
    List<String> some = listen.isEmpty() ? dial : listen;
    if (some.size() > TunnelLimits.PATHS_MAX) {
      throw new IllegalArgumentException(
          "at most %d addresses may be given, because a session has at most %d paths, got %d"
              .formatted(TunnelLimits.PATHS_MAX, TunnelLimits.PATHS_MAX, some.size()));
    }
    for (int i = 0; i < some.size(); i++) {
      InetAddress address = literal(some.get(i));
      if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
        throw new IllegalArgumentException(
            "listen and dial must be addresses of single hosts, got '"
                + some.get(i)
                + "': each of them is one end of paths");
      }
      if (some.subList(0, i).stream().map(PeerSettings::literal).anyMatch(address::equals)) {
        throw new IllegalArgumentException("the address " + some.get(i) + " is given twice");
      }
    }
  }

  private static InetAddress literal(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "listen and dial must be lists of IP addresses, got '" + text + "'", e);
    }
  }

  private static void checkPrefixes(List<AddressPrefix> prefixes, List<String> dial) {
    if (prefixes.isEmpty() || prefixes.size() > PREFIXES_MAX) {
      throw new IllegalArgumentException(
          "prefixes must name 1 to %d networks behind the other end, with its inner addresses, got %d"
              .formatted(PREFIXES_MAX, prefixes.size()));
    }
    for (int i = 0; i < prefixes.size(); i++) {
      AddressPrefix prefix = prefixes.get(i);
      if (prefix.length() == 0) {
        throw new IllegalArgumentException(
            "prefixes must not be "
                + prefix
                + ": only networks behind the peer can be routed to it");
      }
      for (AddressPrefix before : prefixes.subList(0, i)) {
        if (before.covers(prefix) || prefix.covers(before)) {
          throw new IllegalArgumentException(
              "prefixes must not overlap, got %s and %s: keep the larger one"
                  .formatted(before, prefix));
        }
      }
      for (String each : dial) {
        if (prefix.contains(literal(each))) {
          throw new IllegalArgumentException(
              "prefixes: %s contains the address %s of dial, so the tunnel would be routed into itself"
                  .formatted(prefix, each));
        }
      }
    }
  }

  /// Returns whether the other end is a peer, and not a SNAPT.
  public boolean enabled() {
    return !key.isEmpty();
  }

  /// Returns whether this end dials and measures.
  public boolean dials() {
    return !dial.isEmpty();
  }

  /// Returns the other end's public key, 32 bytes.
  public byte[] rawKey() {
    return decoded(key);
  }

  /// Returns the addresses of `dial`.
  public List<InetAddress> remotes() {
    return dial.stream().map(PeerSettings::literal).toList();
  }

  /// Returns the addresses of `listen` with the port.
  public List<InetSocketAddress> addresses() {
    List<InetSocketAddress> all = new ArrayList<>();
    listen.forEach(each -> all.add(new InetSocketAddress(literal(each), port)));
    return List.copyOf(all);
  }
}
