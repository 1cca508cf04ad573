package io.viaduct.billing.tariff;

import java.util.Map;

/// The amount that the owner of SNAPTs asks beside the price.
///
/// @param denariiPerMegabyte den/MB before aggregation, by class; a class that is not named has
///   none
public record Surcharge(Map<ServiceClass, Double> denariiPerMegabyte) {
  public static final Surcharge NONE = new Surcharge(Map.of());

  public Surcharge {
    denariiPerMegabyte =
        Amounts.upTo(
            Tariff.PER_MEGABYTE_MAX,
            TariffRule.FINITE_NOT_NEGATIVE,
            "denarii-per-megabyte",
            denariiPerMegabyte);
  }

  /// Returns the surcharge of a class, den/MB.
  public double of(ServiceClass serviceClass) {
    return denariiPerMegabyte.getOrDefault(serviceClass, 0.0);
  }
}
