package io.viaduct.bridge.credit;

import io.viaduct.usage.ReportFlaw;
import io.viaduct.usage.v1.CreditResult;

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
  /// The device was removed from its account: ACCOUNT_BLOCKED. Its token is valid for some minutes
  /// more.
  DEVICE_REMOVED,
  /// Billing does not answer: UNABLE_TO_DELIVER.
  BILLING_AWAY;

  /// Returns what the SNAPT is answered: a request that breaks a rule is refused, and what it names
  /// is held. What is no fault of the request is an absence, and the failure handling counts.
  CreditResult result() {
    return switch (this) {
      case ID_IN_USE, TOO_MANY_SESSIONS, TOKEN_KEY_UNKNOWN, BILLING_AWAY ->
          CreditResult.UNABLE_TO_DELIVER;
      case DEVICE_REMOVED -> CreditResult.ACCOUNT_BLOCKED;
      case OVER_MESSAGE_LIMIT,
          FOREIGN_SNAPT,
          TOKEN_MISSING,
          OTHER_ACCOUNT,
          TOKEN_MALFORMED,
          TOKEN_FORGED,
          TOKEN_OF_OTHER_SESSION,
          TOKEN_OF_OTHER_AUDIENCE,
          TOKEN_NOT_VALID_THEN ->
          CreditResult.REQUEST_REFUSED;
    };
  }

  static CreditRefusal of(ReportFlaw flaw) {
    return valueOf(flaw.name());
  }
}
