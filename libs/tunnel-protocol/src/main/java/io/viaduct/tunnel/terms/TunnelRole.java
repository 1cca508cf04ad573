package io.viaduct.tunnel.terms;

/// End of the tunnel that a session is.
public enum TunnelRole {
  /// The device: its packets travel in direction up. It probes, answers challenges and sends flow
  /// statistics.
  AGENT,
  /// The relay: its packets travel in direction down. It keeps the binding and challenges new
  /// addresses.
  SNAPT
}
