package io.viaduct.billing.tariff;

/// The measure that an access fee is charged for. Fees are beside the price: no discount touches
/// them.
public enum AccessFee {
  /// Megabyte (10^6 bytes) before aggregation.
  PER_MEGABYTE,
  /// Minute of an interval in which a session carried something. The flows of the interval share it
  /// by their bytes.
  PER_MINUTE
}
