package io.viaduct.tunnel.path;

/// Transport of sealed datagrams.
public enum Carrier {
  /// One UDP datagram per sealed datagram: the normal case.
  UDP,
  /// Frames of the control connection, while a network lets no UDP through.
  CONTROL
}
