package io.viaduct.billing.tariff;

/// The price curve of one service class.
///
/// @param weight largest utility rate, den/s
/// @param referenceThroughput x_ref, kbit/s
/// @param referenceDelay d_ref, ms
/// @param throughputMarginal marginal utility over x/x_ref, non-increasing
/// @param delayMarginal marginal utility over d/d_ref
/// @param lossSlope utility lost per unit of loss
/// @param kappaThroughput dx/dy, kbit/s per virtual unit/s, above 0
/// @param kappaDelay dd/dy, ms per virtual unit/s, at most 0
/// @param point throughput at which flows are priced
public record ClassTariff(
    double weight,
    double referenceThroughput,
    double referenceDelay,
    MarginalTable throughputMarginal,
    MarginalTable delayMarginal,
    double lossSlope,
    double kappaThroughput,
    double kappaDelay,
    OperatingPoint point) {
  /// Largest weight, den/s. Ten minutes at this rate are still exact in a double of micro-denarii.
  public static final double WEIGHT_MAX = 1e6;

  public ClassTariff {
    positive("weight", weight);
    if (weight > WEIGHT_MAX) {
      throw TariffRefusedException.ofKey(
          TariffRule.POSITIVE,
          "weight",
          "weight must be at most " + WEIGHT_MAX + " den/s, got " + weight);
    }
    positive("reference-throughput", referenceThroughput);
    positive("reference-delay", referenceDelay);
    try {
      throughputMarginal.requireNonIncreasing();
    } catch (TariffRefusedException e) {
      throw e.in("throughput-marginal");
    }
    if (!Double.isFinite(lossSlope) || lossSlope < 0) {
      throw TariffRefusedException.ofKey(
          TariffRule.FINITE_NOT_NEGATIVE,
          "loss-slope",
          "loss-slope must be finite and >= 0, got " + lossSlope);
    }
    if (!(kappaThroughput > 0)
        || !(kappaDelay <= 0)
        || !Double.isFinite(kappaThroughput)
        || !Double.isFinite(kappaDelay)) {
      throw TariffRefusedException.ofKey(
          TariffRule.KAPPA_SIGN,
          kappaThroughput > 0 && Double.isFinite(kappaThroughput)
              ? "kappa-delay"
              : "kappa-throughput",
          "kappa-throughput must be > 0 and kappa-delay <= 0, got %s and %s"
              .formatted(kappaThroughput, kappaDelay));
    }
  }

  /// Returns the same curve at another operating point.
  public ClassTariff at(OperatingPoint other) {
    return new ClassTariff(
        weight,
        referenceThroughput,
        referenceDelay,
        throughputMarginal,
        delayMarginal,
        lossSlope,
        kappaThroughput,
        kappaDelay,
        other);
  }

  static void positive(String key, double value) {
    if (!(value > 0) || !Double.isFinite(value)) {
      throw TariffRefusedException.ofKey(
          TariffRule.POSITIVE, key, key + " must be finite and > 0, got " + value);
    }
  }
}
