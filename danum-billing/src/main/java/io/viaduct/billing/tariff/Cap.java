package io.viaduct.billing.tariff;

/// The amount that a cap limits.
public enum Cap {
  /// The charge of one flow in one interval, before its discount and without fees.
  FLOW_INTERVAL,
  /// The payment of an account for one application in one hour (UTC), discounts, fees and refunds
  /// included.
  APPLICATION_HOUR,
  /// The payment of an account in one day (UTC), likewise.
  ACCOUNT_DAY
}
