package io.viaduct.billing.credit;

/// The state of an account's credit (balance and credit limit). Each change is noticed once.
public enum CreditState {
  SUFFICIENT,
  /// Below the threshold of the configuration.
  LOW,
  /// Nothing is left, or a quota was refused because too little was left.
  EXHAUSTED
}
