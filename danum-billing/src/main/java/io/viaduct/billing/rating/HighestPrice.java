package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.ApplicationReference;
import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.MarginalTable;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;

/// The most that any traffic of one application can cost under a tariff, whatever is measured.
///
/// A charge is at most price times units, and the price is at most that of the steepest points of
/// both curves. It is also at most the utility received: the weight for each second of a flow. So
/// the lower one of two lines bounds it.
///
/// @param perByte micro-denarii per byte
/// @param perMs micro-denarii per millisecond of a flow
public record HighestPrice(double perByte, double perMs) {
  public static final HighestPrice FREE = new HighestPrice(0, 0);

  /// The charge of each flow in each interval is rounded up by this much at most, micro-denarii. A
  /// flow has at least the bytes of one IP header, and one millisecond.
  private static final double ROUNDING = 0.5;

  private static final double BYTES_MIN = 20;

  /// A double represents every integer up to this value; no amount of this system is larger.
  private static final double EXACT_MAX = 0x1p53;

  /// Returns the bound for one application in one class.
  public static HighestPrice of(Tariff tariff, ServiceClass serviceClass, String application) {
    ClassTariff curve = tariff.of(serviceClass);
    ApplicationReference reference = tariff.reference(serviceClass, application);
    double xRef =
        reference.referenceThroughput() == 0
            ? curve.referenceThroughput()
            : reference.referenceThroughput();
    double dRef =
        reference.referenceDelay() == 0 ? curve.referenceDelay() : reference.referenceDelay();
    double steepest =
        highest(curve.throughputMarginal()) / xRef * curve.kappaThroughput()
            - highest(curve.delayMarginal()) / dRef * curve.kappaDelay();
    double microPerUnit = curve.weight() * steepest * 1e6;
    double unitsPerByte = 8.0 / 1000.0 / curve.kappaThroughput();
    return new HighestPrice(
        microPerUnit * unitsPerByte + ROUNDING / BYTES_MIN, curve.weight() * 1e3 + ROUNDING);
  }

  private static double highest(MarginalTable marginal) {
    return marginal.pairs().stream().mapToDouble(pair -> pair[1]).max().orElseThrow()
        / marginal.area();
  }

  /// Returns the bound for traffic that either of two tariffs may price.
  public HighestPrice or(HighestPrice other) {
    return new HighestPrice(Math.max(perByte, other.perByte), Math.max(perMs, other.perMs));
  }

  /// Returns the most that an amount of use can cost.
  public MicroDenarii charge(Use use) {
    double most = Math.min(perByte * use.bytes(), perMs * use.flowMs());
    return new MicroDenarii((long) Math.min(Math.ceil(most), EXACT_MAX));
  }

  /// Returns the bytes that an amount surely pays, whatever time they take.
  public long bytesFor(MicroDenarii amount) {
    return (long) Math.floor(Math.max(0, amount.value()) / perByte);
  }

  /// Returns the milliseconds of a flow that an amount surely pays, whatever it carries.
  public long millisecondsFor(MicroDenarii amount) {
    return (long) Math.floor(Math.max(0, amount.value()) / perMs);
  }
}
