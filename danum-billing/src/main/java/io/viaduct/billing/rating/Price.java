package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.MarginalTable;

/// Utility and price of a flow at one point of its curve.
///
/// @param point the place on the tables of the curve
/// @param utilityPerSecond U, den/s
/// @param utilityByThroughput dU/dx, den/s per kbit/s
/// @param utilityByDelay dU/dd, den/s per ms
/// @param perUnit p = max(0, U'(y)), den per virtual unit
public record Price(
    Point point,
    double utilityPerSecond,
    double utilityByThroughput,
    double utilityByDelay,
    double perUnit) {
  /// A place on the tables of a curve.
  ///
  /// @param throughput marginal utility and its integral at x/x_ref
  /// @param delay marginal utility and its integral at d/d_ref
  /// @param lossFactor g, what the loss leaves of the utility, 0..1
  public record Point(
      MarginalTable.Point throughput, MarginalTable.Point delay, double lossFactor) {}

  /// Returns utility and price at one point of a curve. The order of operations is part of the
  /// contract: every implementation, in any language, returns the same bits.
  ///
  /// @param throughputKbitPerSecond x, kbit/s
  /// @param delayMs d, ms, not negative
  /// @param loss 0..1
  // = ijans2015 eq.1
  // = ijans2015 eq.2
  public static Price at(Curve curve, double throughputKbitPerSecond, double delayMs, double loss) {
    ClassTariff tariff = curve.tariff();
    double xRef = curve.referenceThroughput();
    double dRef = curve.referenceDelay();
    double areaX = tariff.throughputMarginal().area();
    double areaD = tariff.delayMarginal().area();
    MarginalTable.Point x = tariff.throughputMarginal().integralTo(throughputKbitPerSecond / xRef);
    MarginalTable.Point d = tariff.delayMarginal().integralTo(delayMs / dRef);
    double a = x.area() / areaX;
    double b = 1.0 - d.area() / areaD;
    double g = 1.0 - tariff.lossSlope() * loss;
    if (g < 0.0) {
      g = 0.0;
    }
    double scale = tariff.weight() * g;
    double u = scale * a * b;
    double ux = scale * b * (x.value() / (areaX * xRef));
    double ud = -(scale * a * (d.value() / (areaD * dRef)));
    double p = ux * tariff.kappaThroughput() + ud * tariff.kappaDelay();
    if (p < 0.0) {
      p = 0.0;
    }
    return new Price(new Point(x, d, g), u, ux, ud, p);
  }
}
