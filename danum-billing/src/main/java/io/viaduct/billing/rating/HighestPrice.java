package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.AccessFee;
import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.MarginalTable;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Terms;

/// The most that any traffic of one application can cost under some terms, whatever is measured.
///
/// A charge is at most price times units, and the price is at most that of the steepest points of
/// both curves. It is also at most the utility received: the weight for each second, of a flow or
/// of the interval, as the operating point says. So the lower one of two lines bounds it. Fees come
/// on top.
///
/// @param perByte micro-denarii per byte
/// @param perFlowMs micro-denarii per millisecond of a flow
/// @param perIntervalMs micro-denarii per millisecond of the intervals
/// @param feePerByte fees and surcharge, micro-denarii per byte
/// @param feePerIntervalMs fees, micro-denarii per millisecond of the intervals
public record HighestPrice(
    double perByte,
    double perFlowMs,
    double perIntervalMs,
    double feePerByte,
    double feePerIntervalMs) {
  public static final HighestPrice FREE = new HighestPrice(0, 0, 0, 0, 0);

  /// The charge of each flow in each interval, and each of its fees, is rounded up by this much at
  /// most, micro-denarii. A flow has at least the bytes of one IP header, and one millisecond.
  private static final double ROUNDING = 0.5;

  private static final double BYTES_MIN = 20;

  /// A time that is not known adds no more than this to a fee: use is charged every few minutes.
  private static final long FEE_MS_MAX = 600_000;

  /// A double represents every integer up to this value; no amount of this system is larger.
  private static final double EXACT_MAX = 0x1p53;

  /// Returns the bound for one application in one class.
  public static HighestPrice of(Terms terms, ServiceClass serviceClass, String application) {
    Curve curve = terms.tariff().curve(serviceClass, application);
    ClassTariff tariff = curve.tariff();
    double steepest =
        highest(tariff.throughputMarginal())
                / curve.referenceThroughput()
                * tariff.kappaThroughput()
            - highest(tariff.delayMarginal()) / curve.referenceDelay() * tariff.kappaDelay();
    double microPerUnit = tariff.weight() * steepest * 1e6;
    double unitsPerByte = 8.0 / 1000.0 / tariff.kappaThroughput();
    double perMs = tariff.weight() * 1e3;
    boolean isOffered = tariff.point() == OperatingPoint.OFFERED;
    // 1 den/MB is 1 micro-denarius per byte.
    double perMegabyte =
        terms.tariff().fee(AccessFee.PER_MEGABYTE) + terms.surcharge().of(serviceClass);
    return new HighestPrice(
        microPerUnit * unitsPerByte + ROUNDING / BYTES_MIN,
        (isOffered ? 0 : perMs) + ROUNDING,
        isOffered ? perMs : 0,
        perMegabyte == 0 ? 0 : perMegabyte + 2 * ROUNDING / BYTES_MIN,
        terms.tariff().fee(AccessFee.PER_MINUTE) * 1e6 / 60_000);
  }

  private static double highest(MarginalTable marginal) {
    return marginal.pairs().stream().mapToDouble(pair -> pair[1]).max().orElseThrow()
        / marginal.area();
  }

  /// Returns the bound for traffic that either of two terms may price.
  public HighestPrice or(HighestPrice other) {
    return new HighestPrice(
        Math.max(perByte, other.perByte),
        Math.max(perFlowMs, other.perFlowMs),
        Math.max(perIntervalMs, other.perIntervalMs),
        Math.max(feePerByte, other.feePerByte),
        Math.max(feePerIntervalMs, other.feePerIntervalMs));
  }

  /// Returns the most that an amount of use can cost.
  public MicroDenarii charge(Use use) {
    double time = perFlowMs * use.flowMs() + perIntervalMs * use.intervalMs();
    double most =
        Math.min(perByte * use.bytes(), time)
            + feePerByte * use.bytes()
            + (use.bytes() == 0 ? 0 : feePerIntervalMs * Math.min(FEE_MS_MAX, use.intervalMs()));
    return new MicroDenarii((long) Math.min(Math.ceil(most), EXACT_MAX));
  }

  /// Returns the bytes that an amount surely pays, whatever time they take; fees per time are not
  /// included.
  public long bytesFor(MicroDenarii amount) {
    return (long) Math.floor(Math.max(0, amount.value()) / (perByte + feePerByte));
  }

  /// Returns the time that an amount surely pays for some bytes, in milliseconds.
  ///
  /// @param flows number of flows that live in that time
  public long millisecondsFor(MicroDenarii amount, long bytes, long flows) {
    double left = Math.max(0, amount.value() - feePerByte * bytes);
    return (long) Math.floor(left / (perFlowMs * flows + perIntervalMs + feePerIntervalMs));
  }
}
