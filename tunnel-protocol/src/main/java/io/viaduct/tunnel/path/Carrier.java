package io.viaduct.tunnel.path;

/// What sealed datagrams travel in.
public enum Carrier {
  /// Datagrams of their own: the rule.
  UDP,
  /// Frames of the control connection: while a network lets no UDP through.
  CONTROL
}
