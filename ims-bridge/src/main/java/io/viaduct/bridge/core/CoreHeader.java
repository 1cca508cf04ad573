package io.viaduct.bridge.core;

/// The headers that only a peer of the trust domain may set (RFC 3324, RFC 3325, RFC 5502, RFC
/// 7315).
enum CoreHeader {
  P_ASSERTED_IDENTITY("P-Asserted-Identity"),
  P_SERVED_USER("P-Served-User"),
  P_CHARGING_VECTOR("P-Charging-Vector"),
  P_CHARGING_FUNCTION_ADDRESSES("P-Charging-Function-Addresses");

  final String text;

  CoreHeader(String text) {
    this.text = text;
  }
}
