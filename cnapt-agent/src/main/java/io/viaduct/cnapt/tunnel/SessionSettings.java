package io.viaduct.cnapt.tunnel;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.terms.TunnelSettings;

/// The configuration keys `tunnel: …`.
///
/// @param pathMtu size of an outer IP packet, in bytes
/// @param aead the preferred AEAD
/// @param sending settings for sent packets; a SNAPT has the same keys
public record SessionSettings(int pathMtu, Preference aead, @JsonUnwrapped TunnelSettings sending) {
  /// The choice of the AEAD that is offered first.
  public enum Preference {
    /// AES-256-GCM if the processor has instructions for it, otherwise ChaCha20-Poly1305.
    AUTO,
    AES_256_GCM,
    CHACHA20_POLY1305;

    @JsonCreator
    static Preference of(String text) {
      return switch (text) {
        case "auto" -> AUTO;
        case "aes-256-gcm" -> AES_256_GCM;
        case "chacha20-poly1305" -> CHACHA20_POLY1305;
        default ->
            throw new IllegalArgumentException(
                "aead must be one of auto, aes-256-gcm, chacha20-poly1305, got '" + text + "'");
      };
    }
  }

  public SessionSettings {
    new TunnelLimits(pathMtu, sending.historyBytes());
  }

  /// Returns the limits that the Hello offers.
  public TunnelLimits limits() {
    return new TunnelLimits(
        pathMtu, sending.historyBytes(), TunnelLimits.PATHS_MAX, TunnelLimits.FEATURES);
  }
}
