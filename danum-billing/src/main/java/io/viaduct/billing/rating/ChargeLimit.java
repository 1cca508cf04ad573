package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;

/// Origin of a charge's amount: the price of its units, or the bound above it.
public enum ChargeLimit {
  /// Nothing was carried, so nothing is charged.
  NOTHING,
  /// The flow is carried by a call that is charged per second, so nothing is charged.
  CALL,
  /// Price times units, without a bound.
  PRICE,
  /// The utility that was received.
  UTILITY,
  /// The tariff's cap of a flow in an interval.
  CAP;

  /// Finds out what a posted charge was limited by.
  ///
  /// @param preBytes bytes before aggregation
  /// @param priced price times units, den
  /// @param received the flow's part of the utility received, den
  /// @param charge as it was posted
  /// @param isOfCall true if a call carries the flow
  public static ChargeLimit of(
      long preBytes, double priced, double received, MicroDenarii charge, boolean isOfCall) {
    if (preBytes == 0) {
      return NOTHING;
    }
    if (isOfCall) {
      return CALL;
    }
    if (rounded(priced).compareTo(charge) <= 0) {
      return PRICE;
    }
    return rounded(received).compareTo(charge) <= 0 ? UTILITY : CAP;
  }

  // An amount far above every charge needs no exact comparison.
  private static MicroDenarii rounded(double denarii) {
    return Rounding.ofDenarii(Math.min(denarii, 1e9));
  }
}
