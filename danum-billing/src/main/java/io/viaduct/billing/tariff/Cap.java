package io.viaduct.billing.tariff;

/// What a cap limits.
public enum Cap {
  /// The charge of one flow in one interval, before its discount and without fees.
  FLOW_INTERVAL,
  /// What an account pays for one application in one hour (UTC), discounts, fees and refunds
  /// included.
  APPLICATION_HOUR,
  /// What an account pays in one day (UTC), likewise.
  ACCOUNT_DAY
}
