package io.viaduct.sip.digest;

/// Why credentials do not authenticate. Each is one counter.
public enum DigestRefusal {
  /// None for our realm; the ordinary first request.
  MISSING,
  MALFORMED,
  /// An algorithm or a qop that was not offered.
  NOT_OFFERED,
  /// A nonce that we have not issued to this source, or issued before our last start. The password
  /// is not judged.
  FORGED_NONCE,
  /// Ours, and too old: the client may use the same password again, which is not judged here.
  STALE_NONCE,
  /// The right password, and a nonce count that was used before.
  REPLAYED,
  /// Made for another Request-URI.
  WRONG_URI,
  /// The caller did not let the password be judged.
  NOT_ADMITTED,
  UNKNOWN_USER,
  WRONG_PASSWORD;

  /// Whether only the nonce needs renewal (RFC 7616 section 3.3, `stale`).
  boolean isStale() {
    return this == STALE_NONCE || this == FORGED_NONCE || this == REPLAYED;
  }
}
