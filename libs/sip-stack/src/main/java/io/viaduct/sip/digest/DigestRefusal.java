package io.viaduct.sip.digest;

/// Reasons why credentials do not authenticate. Each has its own counter.
public enum DigestRefusal {
  /// No credentials for our realm: the ordinary first request.
  MISSING("there are no credentials yet: the first request of every exchange"),
  MALFORMED("the credentials cannot be read"),
  /// An algorithm or a qop that was not offered.
  NOT_OFFERED("the user agent answered with an algorithm or a qop that was not offered"),
  /// A nonce that was not issued to this source, or was issued before the last start. The password
  /// is not checked.
  FORGED_NONCE("the nonce was not issued to this source, or it is from before the last start"),
  /// A nonce of ours that is too old. The password is not checked, and the client may use it again.
  STALE_NONCE("the nonce is too old: the user agent gets a new one"),
  /// A correct password with a nonce count that was used before.
  REPLAYED("the same credentials were used before"),
  /// A correct password with a nonce of another server, which does not answer whether the count was
  /// used before.
  ISSUER_AWAY("the bridge that issued the nonce does not answer"),
  /// A proved sequence number of a subscriber's card, which refused that of the challenge. The next
  /// challenge has a number that the card accepts.
  RESYNCHRONISED("the card's sequence number was taken over: the next challenge fits"),
  /// Credentials for another Request-URI.
  WRONG_URI("the credentials are for another Request-URI"),
  /// The caller did not allow the check of the password.
  NOT_ADMITTED(
      "the user is another one than To or From names, or there were too many wrong passwords"),
  UNKNOWN_USER("no user has this name, or the user has no password or card of this kind"),
  WRONG_PASSWORD("the password is wrong");

  private final String words;

  DigestRefusal(String words) {
    this.words = words;
  }

  /// Returns what is wrong, for an operator. The user agent gets a challenge instead.
  public String words() {
    return words;
  }

  /// Returns true if only the nonce needs renewal (RFC 7616 section 3.3, `stale`).
  boolean isStale() {
    return this == STALE_NONCE || this == FORGED_NONCE || this == REPLAYED || this == ISSUER_AWAY;
  }
}
