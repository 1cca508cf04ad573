package io.viaduct.billing.tariff;

/// What aggregation gives back to the payer.
///
/// @param base which bytes count
/// @param denariiPerMegabyte rho, den/MB of those bytes; the same number in micro-denarii per byte
/// @param cap share of the charge that a discount never exceeds, 0..1
public record DiscountRule(Base base, double denariiPerMegabyte, double cap) {
  /// Bytes that a discount is proportional to.
  public enum Base {
    /// pre - post, where positive
    SAVED,
    /// pre
    SERVED
  }

  public DiscountRule {
    if (!Double.isFinite(denariiPerMegabyte) || denariiPerMegabyte < 0) {
      throw new TariffRefusedException(
          TariffRule.FINITE_NOT_NEGATIVE,
          "denarii-per-megabyte must be finite and >= 0, got " + denariiPerMegabyte);
    }
    if (!(cap >= 0 && cap <= 1)) {
      throw new TariffRefusedException(
          TariffRule.FRACTION, "cap must be between 0 and 1, got " + cap);
    }
  }
}
