package io.viaduct.snapt.policy;

/// The reasons for which the SNAPT does not forward a device's packet; each value is a counter. The
/// translation has already refused unroutable destinations and the pool
/// ([io.viaduct.snapt.napt.Translated]).
public enum EgressRefusal {
  /// The destination is the SNAPT itself: an address, a broadcast or an anycast address of one of
  /// its interfaces, or an address that `control.host` resolves to.
  OWN_ADDRESS,
  /// The destination is the bridge or is in one of `egress.control-networks`.
  CONTROL_NETWORK,
  /// The destination is in a network that is not part of the Internet, and `egress.deny-private` is
  /// set.
  PRIVATE_NETWORK,
  /// An entry of `egress.deny` matches the packet.
  DENIED,
  /// The packet has IPv4 source-route options (LSRR, SSRR; RFC 7126), or incomplete options.
  SOURCE_ROUTE,
  /// The account has used up its `egress.account-bits-per-second`.
  ACCOUNT_RATE,
  /// The packet goes to the end of a tunnel, and the session itself comes by the session of a
  /// neighbour: a session relays others only by links of its own. Or the flow carries datagrams of
  /// neighbours, and the packet goes elsewhere.
  RELAYED,
  /// The credit of the account does not pay for the flow's application.
  CREDIT;

  /// Returns true if the device gets an ICMP error. There is none for a source route, which the
  /// error would have to reverse (RFC 1812 section 4.3.2.6). There is none for the rate, because
  /// packet loss is its signal. Without credit, an established TCP connection survives the error
  /// (RFC 5461), and goes on after a top-up; a new one fails at once.
  public boolean isAnswered() {
    return switch (this) {
      case OWN_ADDRESS, CONTROL_NETWORK, PRIVATE_NETWORK, DENIED, RELAYED, CREDIT -> true;
      case SOURCE_ROUTE, ACCOUNT_RATE -> false;
    };
  }
}
