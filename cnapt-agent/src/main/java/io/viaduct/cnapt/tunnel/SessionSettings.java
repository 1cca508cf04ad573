package io.viaduct.cnapt.tunnel;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.viaduct.tunnel.session.TunnelLimits;
import io.viaduct.tunnel.session.TunnelSettings;

/// The configuration keys `tunnel: …`.
///
/// @param pathMtu size of an outer IP packet, bytes
/// @param aead which AEAD is preferred
/// @param sending what the agent does with what it sends: the keys that a SNAPT has too
public record SessionSettings(int pathMtu, Preference aead, @JsonUnwrapped TunnelSettings sending) {
  /// Which AEAD is offered first.
  public enum Preference {
    /// AES-256-GCM where the processor has instructions for it.
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

  /// What a Hello offers at the most.
  public TunnelLimits limits() {
    return new TunnelLimits(pathMtu, sending.historyBytes());
  }
}
