package io.viaduct.cnapt.control;

import java.security.PublicKey;
import java.util.Map;

/// The keys with which the bridge signs directories of SNAPTs, as it has granted them.
///
/// @param keys Ed25519, by id; empty if the bridge signs none
/// @param bridgeMs the bridge's Unix time in ms when it sent them
public record BridgeKeys(Map<String, PublicKey> keys, long bridgeMs) {
  /// No bridge, or one of the version before.
  public static final BridgeKeys NONE = new BridgeKeys(Map.of(), 0);

  public BridgeKeys {
    keys = Map.copyOf(keys);
  }
}
