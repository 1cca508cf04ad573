package io.viaduct.host.udp;

/// What became of a burst.
public enum SendResult {
  /// The kernel has all of it.
  SENT,
  /// Not all of it now; what is left is still readable. [DatagramReader#writable()] will say when.
  WOULD_BLOCK,
  /// Not all of it, ever: a datagram is longer than the interface's MTU. What is left is still
  /// readable. Counted by errno.
  TOO_LONG,
  /// Not all of it, ever: no route, forbidden. What is left is still readable. Counted by errno.
  REFUSED
}
