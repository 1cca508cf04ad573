package io.viaduct.billing.tariff;

/// The rule for the discount on saved bytes.
///
/// @param base the bytes that count
/// @param denariiPerMegabyte rho, den/MB of those bytes; numerically equal to micro-denarii per
///   byte
/// @param cap largest share of the charge that a discount may reach, 0..1
/// @param beneficiary who gets the discount
public record DiscountRule(
    Base base, double denariiPerMegabyte, double cap, Beneficiary beneficiary) {
  /// Bytes that a discount is proportional to.
  public enum Base {
    /// Bytes before aggregation less bytes on the wire, if positive.
    SAVED,
    /// Bytes before aggregation.
    SERVED
  }

  public DiscountRule {
    if (!Double.isFinite(denariiPerMegabyte) || denariiPerMegabyte < 0) {
      throw TariffRefusedException.ofKey(
          TariffRule.FINITE_NOT_NEGATIVE,
          "denarii-per-megabyte",
          "denarii-per-megabyte must be finite and >= 0, got " + denariiPerMegabyte);
    }
    if (!(cap >= 0 && cap <= 1)) {
      throw TariffRefusedException.ofKey(
          TariffRule.FRACTION, "cap", "cap must be between 0 and 1, got " + cap);
    }
  }

  /// Returns the bytes that count.
  ///
  /// @param pre bytes before aggregation
  /// @param post bytes on the wire
  public long bytes(long pre, long post) {
    return switch (base) {
      case SAVED -> Math.max(0, pre - post);
      case SERVED -> pre;
    };
  }
}
