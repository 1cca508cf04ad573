package io.viaduct.snapt.relay;

/// Why the shell around the tunnel dropped something; each value is a counter.
public enum Drop {
  /// The queue towards the session's event loop is full.
  HANDOVER_FULL,
  /// The TUN device takes no more now.
  TUN_BUSY,
  /// The kernel refused the packet.
  TUN_REFUSED,
  /// The UDP socket refused the datagrams: no route, forbidden.
  UDP_REFUSED,
  /// The UDP socket refused the datagrams: longer than the interface's MTU.
  UDP_TOO_LONG,
  /// A datagram for a session whose device has not been heard yet.
  UNBOUND,
  /// The session ended before the socket took its last datagrams.
  ENDED
}
