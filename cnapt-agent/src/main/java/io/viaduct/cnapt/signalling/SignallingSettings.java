package io.viaduct.cnapt.signalling;

import io.viaduct.service.configuration.Secret;
import io.viaduct.sip.useragent.ProbePace;
import java.time.Duration;
import java.util.Optional;

/// The configuration keys `signalling: …`: the user and the bridge.
///
/// @param bridge host of the bridge; empty means no SIP
/// @param transport `udp` or `tcp`
/// @param domain home domain, the host part of the public identity
/// @param user user part of the public identity, and user name for the password
/// @param registerExpires requested duration of a registration (RFC 3261 section 10.2)
/// @param probeInterval pause between probes of the bridge by SIP while a tunnel stands; zero: only
///   after a registration
/// @param outageProbeInterval pause between them while no tunnel stands
public record SignallingSettings(
    String bridge,
    int port,
    String transport,
    String domain,
    String user,
    Optional<Secret> passwordFile,
    Duration registerExpires,
    Duration probeInterval,
    Duration outageProbeInterval) {
  /// Checks that a bridge is given with all keys that the registration needs.
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
    new ProbePace(probeInterval, outageProbeInterval); // refuses what is out of bounds
  }

  ProbePace pace() {
    return new ProbePace(probeInterval, outageProbeInterval);
  }

  /// Returns true if the agent registers at a bridge.
  public boolean enabled() {
    return !bridge.isEmpty();
  }
}
