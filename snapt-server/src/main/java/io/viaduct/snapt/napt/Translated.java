package io.viaduct.snapt.napt;

/// The outcome of a packet's address translation; each value is a counter.
public enum Translated {
  /// The packet was rewritten and may be forwarded.
  FORWARDED,
  /// The bytes are not an IP packet, or a header is incomplete.
  MALFORMED,
  /// The source is not the session's inner address. A device must not use the address of another
  /// device.
  FOREIGN_SOURCE,
  /// The destination is in the pool. Sessions cannot reach each other through the SNAPT.
  POOL_DESTINATION,
  /// The destination is multicast, broadcast, loopback or link-local, which the Internet does not
  /// route.
  UNROUTABLE_DESTINATION,
  /// The packet has an IPv6 routing header. Such a header may redirect the packet (RFC 5095), and
  /// the transport checksum covers another destination.
  ROUTING_HEADER,
  /// The packet is an ICMP error about a packet that the session did not send.
  FOREIGN_ERROR,
  /// The destination is a pool address that no session has.
  NO_SESSION;

  /// Returns true if the sending device gets an ICMP error. The packet is then unchanged.
  public boolean isAnswered() {
    return this == POOL_DESTINATION || this == UNROUTABLE_DESTINATION;
  }
}
