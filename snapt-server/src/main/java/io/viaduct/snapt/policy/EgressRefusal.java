package io.viaduct.snapt.policy;

/// Why a device's packet does not leave the SNAPT; each value is a counter. Destinations that no
/// host of the Internet has, and the pool, are refused by the translation before
/// ([io.viaduct.snapt.napt.Translated]).
public enum EgressRefusal {
  /// The destination is the SNAPT itself: an address, a broadcast or an anycast address of one of
  /// its interfaces, or one that `control.host` names.
  OWN_ADDRESS,
  /// The destination is the bridge or lies in one of `egress.control-networks`.
  CONTROL_NETWORK,
  /// The destination lies in a network that is not of the Internet, and `egress.deny-private`
  /// holds.
  PRIVATE_NETWORK,
  /// An entry of `egress.deny` names it.
  DENIED,
  /// IPv4 options that choose the route (LSRR, SSRR; RFC 7126), or options that are not whole.
  SOURCE_ROUTE,
  /// The account has used up its `egress.account-bits-per-second`.
  ACCOUNT_RATE
}
