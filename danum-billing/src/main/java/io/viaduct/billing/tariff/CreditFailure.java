package io.viaduct.billing.tariff;

/// The treatment of traffic that needs a quota while billing is away
/// (Credit-Control-Failure-Handling, RFC 8506).
public enum CreditFailure {
  /// It goes on without a quota, and is charged later.
  CONTINUE,
  /// It is refused at the end of its quotas.
  TERMINATE
}
