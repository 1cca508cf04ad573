package io.viaduct.snapt.napt;

/// What became of a packet at the address translation; each value is a counter.
public enum Translated {
  /// Rewritten, fit to be forwarded.
  FORWARDED,
  /// No IP packet, or a header is not whole.
  MALFORMED,
  /// The source is not the session's inner address: nobody sends in another's name.
  FOREIGN_SOURCE,
  /// The destination lies in the pool: sessions do not reach each other through the SNAPT.
  POOL_DESTINATION,
  /// Multicast, broadcast, loopback or link-local destination: not for the Internet.
  UNROUTABLE_DESTINATION,
  /// An IPv6 routing header: it may name the next hop (RFC 5095), and its checksum is another.
  ROUTING_HEADER,
  /// An ICMP error about a packet that the session did not send.
  FOREIGN_ERROR,
  /// Addressed to a pool address that no session has.
  NO_SESSION
}
