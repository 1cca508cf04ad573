package io.viaduct.sip.digest;

/// Why credentials do not authenticate. Each is one counter.
public enum DigestRefusal {
  /// None for our realm; the ordinary first request.
  MISSING,
  MALFORMED,
  /// An algorithm or a qop that was not offered.
  NOT_OFFERED,
  /// The right password over a nonce that we have not made, or made before our last start.
  FORGED_NONCE,
  /// Ours, and too old: the client may use the same password again.
  STALE_NONCE,
  /// A nonce count that was used before.
  REPLAYED,
  /// Made for another Request-URI.
  WRONG_URI,
  UNKNOWN_USER,
  WRONG_PASSWORD;

  /// Whether the password was right as far as anyone can tell, so that only the nonce needs
  /// renewal.
  boolean isStale() {
    return this == STALE_NONCE || this == FORGED_NONCE || this == REPLAYED;
  }
}
