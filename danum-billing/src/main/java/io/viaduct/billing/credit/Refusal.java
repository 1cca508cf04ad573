package io.viaduct.billing.credit;

/// Why an account's new traffic is refused now; [#NONE] if it is not.
public enum Refusal {
  NONE,
  /// Nothing is left, or too little for a quota: a top-up lets it pass.
  CREDIT,
  /// The user's cap for a day is reached. It lets traffic pass on the next day (UTC), or when it is
  /// raised.
  CAP_DAY,
  /// Likewise the cap for a month.
  CAP_MONTH,
  /// The operator has blocked the account.
  BLOCKED,
  SUSPENDED,
  CLOSED
}
