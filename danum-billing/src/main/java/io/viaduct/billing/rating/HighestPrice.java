package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.AccessFee;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.MarginalTable;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.Terms;

/// The most that any traffic of one application can cost under some terms, whatever is measured.
///
/// A charge is at most price times units, and the price is at most that of the steepest points of
/// both curves. It is also at most the utility received: the weight for each second. So the lower
/// one of two lines bounds it. The seconds are those of each flow at the measured point, and those
/// of the interval where the flows of an application are priced together. Fees and the surcharge
/// are beside it; discounts, refunds and caps only lower it.
///
/// @param point where the flows are priced
/// @param perByte charge, micro-denarii per byte
/// @param perMs charge, micro-denarii per millisecond
/// @param feePerByte access fee and surcharge, micro-denarii per byte
/// @param feePerMs access fee, micro-denarii per millisecond of the interval
public record HighestPrice(
    OperatingPoint point, double perByte, double perMs, double feePerByte, double feePerMs)
    implements UseBound {
  /// Each line of a flow's bill is rounded up by this much at most, micro-denarii: the charge, the
  /// fees per byte and per minute, the surcharge.
  private static final double ROUNDING = 0.5;

  private static final int LINES = 4;

  /// A flow has at least the bytes of one IP header, and one millisecond.
  private static final double BYTES_MIN = 20;

  /// A double represents every integer up to this value; no amount of this system is larger.
  private static final double EXACT_MAX = 0x1p53;

  /// Returns the bound for one application in one class.
  public static HighestPrice of(Terms terms, ServiceClass serviceClass, String application) {
    Tariff tariff = terms.tariff();
    Curve curve = tariff.curve(serviceClass, application);
    double kappaThroughput = curve.tariff().kappaThroughput();
    double steepest =
        highest(curve.tariff().throughputMarginal()) / curve.referenceThroughput() * kappaThroughput
            - highest(curve.tariff().delayMarginal())
                / curve.referenceDelay()
                * curve.tariff().kappaDelay();
    double microPerUnit = curve.tariff().weight() * steepest * 1e6;
    double unitsPerByte = 8.0 / 1000.0 / kappaThroughput;
    return new HighestPrice(
        curve.tariff().point(),
        microPerUnit * unitsPerByte,
        curve.tariff().weight() * 1e3,
        // Numerically, den/MB is micro-denarii per byte.
        tariff.fee(AccessFee.PER_MEGABYTE) + terms.surcharge().of(serviceClass),
        tariff.fee(AccessFee.PER_MINUTE) * 1e6 / 60_000);
  }

  private static double highest(MarginalTable marginal) {
    return marginal.pairs().stream().mapToDouble(pair -> pair[1]).max().orElseThrow()
        / marginal.area();
  }

  /// Returns the most that an amount of use can cost. Without a time the bytes alone bound it, and
  /// no fee is known for the time.
  @Override
  public MicroDenarii charge(Use use) {
    long ms =
        switch (point) {
          case MEASURED -> use.flowMs();
          case OFFERED -> use.intervalMs();
        };
    double charge = Math.min(perByte * use.bytes(), perMs * ms);
    double feeMs = use.intervalMs() >= Use.UNKNOWN_MS ? 0 : use.intervalMs();
    double flows = Math.min(use.bytes() / BYTES_MIN, use.flowMs());
    double most = charge + feePerByte * use.bytes() + feePerMs * feeMs + LINES * ROUNDING * flows;
    return new MicroDenarii((long) Math.min(Math.ceil(most), EXACT_MAX));
  }
}
