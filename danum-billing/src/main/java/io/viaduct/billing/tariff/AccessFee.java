package io.viaduct.billing.tariff;

/// The measure that a fee is charged for. Fees are beside the price: no discount touches them.
public enum AccessFee {
  /// Megabyte (10^6 bytes) before aggregation.
  PER_MEGABYTE,
  /// Minute of an interval in which a session carried something. The flows of the interval share it
  /// by their bytes.
  PER_MINUTE,
  /// Second of a call that another node of the operator's network carries and asks for by Diameter
  /// (ADR 0069). A tariff that does not name it has no price for such calls.
  PER_CALL_SECOND
}
