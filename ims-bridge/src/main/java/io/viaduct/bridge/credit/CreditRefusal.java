package io.viaduct.bridge.credit;

import io.viaduct.usage.ReportFlaw;

/// Reasons for which the bridge answers a request for credit itself. Each reason is one counter.
enum CreditRefusal {
  /// Longer than gRPC's message limit; the stream ends with RESOURCE_EXHAUSTED.
  OVER_MESSAGE_LIMIT,
  /// The request names another SNAPT than the certificate.
  FOREIGN_SNAPT,
  /// Another process holds the SNAPT's id.
  ID_IN_USE,
  /// The stream has too many sessions.
  TOO_MANY_SESSIONS,
  /// The first request of a session on the stream has no token.
  TOKEN_MISSING,
  /// The session was shown with the token of another account.
  OTHER_ACCOUNT,
  /// The following are values of [ReportFlaw], which documents them.
  TOKEN_MALFORMED,
  TOKEN_KEY_UNKNOWN,
  TOKEN_FORGED,
  TOKEN_OF_OTHER_SESSION,
  TOKEN_OF_OTHER_AUDIENCE,
  TOKEN_NOT_VALID_THEN,
  /// Billing does not answer: UNABLE_TO_DELIVER.
  BILLING_AWAY;

  static CreditRefusal of(ReportFlaw flaw) {
    return valueOf(flaw.name());
  }
}
