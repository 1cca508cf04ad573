package io.viaduct.billing.settlement;

/// Says why billing keeps a report without posting it. Each is counted and shown to the operator,
/// who can mend the cause and release the report.
public enum HoldReason {
  /// The account does not exist.
  UNKNOWN_ACCOUNT,
  /// The account is suspended or closed.
  ACCOUNT_INACTIVE,
  /// The envelope has no session token: its SNAPT is of a version before receipts.
  NO_TOKEN,
  /// No bridge has named the key of the token.
  TOKEN_KEY_UNKNOWN,
  /// The account's charges that end in the same minute would be above `charge-bound`.
  OVER_CHARGE_BOUND,
  /// The account's unsigned charges would be above `unsigned.bound-per-account`.
  OVER_UNSIGNED_BOUND
}
