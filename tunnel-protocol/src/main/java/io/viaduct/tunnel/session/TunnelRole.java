package io.viaduct.tunnel.session;

/// Which end of the tunnel a session is.
public enum TunnelRole {
  /// The device: packets leave it in direction up; it probes, answers challenges, sends flow
  /// statistics.
  AGENT,
  /// The relay: packets leave it in direction down; it keeps the binding and challenges new
  /// addresses.
  SNAPT
}
