package io.viaduct.host.udp;

/// Result of sending a burst.
public enum SendResult {
  /// The kernel accepted the whole burst.
  SENT,
  /// The kernel's buffer is full. The rest of the burst is still readable, and
  /// [DatagramReader#writable()] will be called.
  WOULD_BLOCK,
  /// The rest will never be accepted, because a datagram is longer than the interface's MTU. The
  /// rest is still readable. Counted by errno.
  TOO_LONG,
  /// The rest will never be accepted, for example without a route or by a rule. The rest is still
  /// readable. Counted by errno.
  REFUSED
}
