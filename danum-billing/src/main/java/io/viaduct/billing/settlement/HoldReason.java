package io.viaduct.billing.settlement;

/// The reasons for holding a report. Each is counted and shown to the operator, who can remove the
/// cause and release the report.
public enum HoldReason {
  /// The account does not exist.
  UNKNOWN_ACCOUNT,
  /// The account is suspended or closed.
  ACCOUNT_INACTIVE,
  /// The envelope has no session token: its SNAPT has a version without receipts.
  NO_TOKEN,
  /// No bridge has named the key of the token.
  TOKEN_KEY_UNKNOWN,
  /// The account's charges in one minute would exceed `charge-bound`.
  OVER_CHARGE_BOUND,
  /// The account's unsigned charges would exceed `unsigned.bound-per-account`.
  OVER_UNSIGNED_BOUND
}
