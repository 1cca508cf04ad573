package io.viaduct.bridge.configuration;

import static io.viaduct.bridge.configuration.Rules.NAME;
import static io.viaduct.bridge.configuration.Rules.require;
import static io.viaduct.bridge.configuration.Rules.requirePort;

import io.viaduct.service.configuration.Secret;
import io.viaduct.service.digest.Sha256;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Several bridges of one domain (ADR 0073).
///
/// @param name of this bridge, different for each
/// @param keyFile file with base64 of 32 bytes, the same at all bridges; none: a new random key at
///   each start
/// @param peers the other bridges
public record BridgesSettings(String name, Optional<Secret> keyFile, List<Peer> peers) {
  private static final int PEERS_MAX = 15;
  private static final int KEY_BYTES = 32;

  public BridgesSettings {
    peers = List.copyOf(peers);
    require(name.matches(NAME), "name must match " + NAME, name);
    require(peers.size() <= PEERS_MAX, "peers must be at most " + PEERS_MAX, peers.size());
    Set<String> names = new HashSet<>(Set.of(name));
    Set<Integer> ids = new HashSet<>(Set.of(nonceId(name)));
    for (Peer peer : peers) {
      require(names.add(peer.name), "the bridges must have different names", peer.name);
      require(
          ids.add(nonceId(peer.name)),
          "two names have one number in nonces: choose another name",
          peer.name);
    }
    require(
        peers.isEmpty() || keyFile.isPresent(),
        "peers needs key-file: the bridges must share a key",
        peers.size());
    keyFile.ifPresent(file -> require(isKey(file), "key-file must hold base64 of 32 bytes", file));
  }

  private static boolean isKey(Secret file) {
    try {
      return Base64.getDecoder().decode(file.reveal()).length == KEY_BYTES;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /// Returns whether there are other bridges.
  public boolean areSeveral() {
    return !peers.isEmpty();
  }

  /// Returns the number by which nonces name a bridge: 16 bits.
  public static int nonceId(String bridge) {
    byte[] digest = Sha256.of(bridge);
    return (digest[0] & 0xff) << 8 | digest[1] & 0xff;
  }

  /// Another bridge of the domain.
  ///
  /// @param name its `bridges.name`
  /// @param host of its gRPC listener, which its certificate must name
  public record Peer(String name, String host, int port) {
    public Peer {
      require(name.matches(NAME), "name must match " + NAME, name);
      require(!host.isEmpty(), "host must be the host of the bridge", host);
      requirePort(port, 1);
    }
  }
}
