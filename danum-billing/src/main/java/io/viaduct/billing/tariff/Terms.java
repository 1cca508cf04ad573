package io.viaduct.billing.tariff;

/// All that the price of a report depends on, beside its measurements.
///
/// @param tariff the operator's tariff
/// @param surcharge what the owner of the SNAPT asks beside the price
public record Terms(Tariff tariff, Surcharge surcharge) {
  /// Returns the terms of a SNAPT whose owner asks for no surcharge.
  public static Terms of(Tariff tariff) {
    return new Terms(tariff, Surcharge.NONE);
  }
}
