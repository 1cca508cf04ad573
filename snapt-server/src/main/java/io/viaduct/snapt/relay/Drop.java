package io.viaduct.snapt.relay;

/// The reasons for which the relay drops a packet outside the tunnel; each value is a counter.
public enum Drop {
  /// The queue towards the session's event loop is full.
  HANDOVER_FULL,
  /// The TUN queue is full.
  TUN_BUSY,
  /// The kernel refused the packet.
  TUN_REFUSED,
  /// The UDP socket refused the datagrams: there is no route, or a rule forbids them.
  UDP_REFUSED,
  /// The UDP socket refused the datagrams: they are longer than the interface's MTU.
  UDP_TOO_LONG,
  /// The device's address is not known yet: no datagram has arrived from it.
  UNBOUND,
  /// A datagram that came out of the session that it belongs to.
  OWN_TUNNEL,
  /// A packet from the end of a tunnel to a session that itself comes by the session of a
  /// neighbour.
  RELAYED,
  /// A packet to a device that has been silent since its token expired.
  ASLEEP,
  /// A packet of a session whose token expired, and whose grace is over.
  TOKEN_EXPIRED,
  /// The session ended before the socket accepted its last datagrams.
  ENDED
}
