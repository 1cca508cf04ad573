package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.ApplicationReference;
import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.DiscountRule;
import io.viaduct.billing.tariff.Tariff;

/// A flow interval with its price.
///
/// @param throughput x, kbit/s
/// @param delay what it was priced at
/// @param loss 0..1
/// @param price the point on the curve
/// @param units V, virtual units
/// @param charge what is owed for the service
/// @param discount what aggregation gives back, 0 <= discount <= cap * charge
public record RatedFlow(
    double throughput,
    BilledDelay delay,
    double loss,
    Price price,
    double units,
    MicroDenarii charge,
    MicroDenarii discount) {

  /// Rates one flow. Pure: the same measure under the same tariff is the same charge, always.
  public static RatedFlow of(FlowMeasure flow, Tariff tariff) {
    ClassTariff curve = tariff.of(flow.serviceClass());
    ApplicationReference reference = tariff.reference(flow.serviceClass(), flow.application());
    double referenceMs =
        reference.referenceDelay() == 0 ? curve.referenceDelay() : reference.referenceDelay();
    BilledDelay delay = BilledDelay.of(flow, referenceMs);
    double loss = flow.loss();
    double throughput = flow.preBytes() * 8.0 / flow.durationMs();
    Price price = Price.at(curve, reference, throughput, delay.ms(), loss);
    double units = flow.preBytes() * 8.0 / 1000.0 / curve.kappaThroughput();
    MicroDenarii charge = charge(price, units, flow.durationMs());
    return new RatedFlow(
        throughput, delay, loss, price, units, charge, discount(flow, tariff.discount(), charge));
  }

  /// Price times units, and never more than the utility that the payer received.
  static MicroDenarii charge(Price price, double units, long durationMs) {
    // Rounding is monotone: the lesser rounded is the lesser of the rounded ones.
    double priced = price.perUnit() * units;
    double received = price.utilityPerSecond() * (durationMs / 1000.0);
    return Rounding.ofDenarii(Math.min(priced, received));
  }

  private static MicroDenarii discount(FlowMeasure flow, DiscountRule rule, MicroDenarii charge) {
    long bytes =
        switch (rule.base()) {
          case SAVED -> flow.savedBytes();
          case SERVED -> flow.preBytes();
        };
    double earned = rule.denariiPerMegabyte() * bytes;
    double cap = rule.cap() * charge.value();
    return Rounding.ofMicroDenarii(Math.min(earned, cap));
  }
}
