package io.viaduct.sip.digest;

/// Reasons why credentials do not authenticate. Each has its own counter.
public enum DigestRefusal {
  /// No credentials for our realm: the ordinary first request.
  MISSING,
  MALFORMED,
  /// An algorithm or a qop that was not offered.
  NOT_OFFERED,
  /// A nonce that was not issued to this source, or was issued before the last start. The password
  /// is not checked.
  FORGED_NONCE,
  /// A nonce of ours that is too old. The password is not checked, and the client may use it again.
  STALE_NONCE,
  /// A correct password with a nonce count that was used before.
  REPLAYED,
  /// A correct password with a nonce of another server, which does not answer whether the count was
  /// used before.
  ISSUER_AWAY,
  /// A proved sequence number of a subscriber's card, which refused that of the challenge. The next
  /// challenge has a number that the card accepts.
  RESYNCHRONISED,
  /// Credentials for another Request-URI.
  WRONG_URI,
  /// The caller did not allow the check of the password.
  NOT_ADMITTED,
  UNKNOWN_USER,
  WRONG_PASSWORD;

  /// Returns true if only the nonce needs renewal (RFC 7616 section 3.3, `stale`).
  boolean isStale() {
    return this == STALE_NONCE || this == FORGED_NONCE || this == REPLAYED || this == ISSUER_AWAY;
  }
}
