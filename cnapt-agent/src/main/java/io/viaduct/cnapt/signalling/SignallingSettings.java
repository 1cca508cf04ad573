package io.viaduct.cnapt.signalling;

import io.viaduct.service.configuration.Secret;
import java.time.Duration;
import java.util.Optional;

/// The configuration keys `signalling: …`: who the user is and where the bridge is.
///
/// @param bridge host of the bridge; empty: no SIP
/// @param transport `udp` or `tcp`
/// @param domain home domain, the host part of the public identity
/// @param user its user part, which is also the name that the password belongs to
/// @param registerExpires how long a registration shall last (RFC 3261 section 10.2)
public record SignallingSettings(
    String bridge,
    int port,
    String transport,
    String domain,
    String user,
    Optional<Secret> passwordFile,
    Duration registerExpires) {
  /// Checks that a bridge comes with everything that registering needs.
  public SignallingSettings {
    if (port < 1 || port > 65535) {
      throw new IllegalArgumentException("port must be from 1 to 65535, got " + port);
    }
    if (!transport.equals("udp") && !transport.equals("tcp")) {
      throw new IllegalArgumentException("transport must be udp or tcp, got '" + transport + "'");
    }
    if (!bridge.isEmpty() && (domain.isEmpty() || user.isEmpty() || passwordFile.isEmpty())) {
      throw new IllegalArgumentException(
          "bridge '" + bridge + "' needs domain, user and password-file too");
    }
    if (registerExpires.toSeconds() < 30) {
      throw new IllegalArgumentException(
          "register-expires must be at least 30s, got " + registerExpires);
    }
  }

  /// Whether the agent registers at a bridge.
  public boolean enabled() {
    return !bridge.isEmpty();
  }
}
