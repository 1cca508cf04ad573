package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.ApplicationReference;
import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.DiscountRule;
import io.viaduct.billing.tariff.Tariff;

/// One flow of one interval with its price.
///
/// @param throughputKbitPerSecond x, kbit/s
/// @param delay the delay that it was priced at
/// @param loss lost share of packets, 0..1
/// @param price utility and price at this point of the curve
/// @param units V, virtual units
/// @param charge amount owed for the service
/// @param discount amount given back for saved bytes, 0 <= discount <= cap * charge
public record RatedFlow(
    double throughputKbitPerSecond,
    BilledDelay delay,
    double loss,
    Price price,
    double units,
    MicroDenarii charge,
    MicroDenarii discount) {

  /// Rates one flow. The result depends only on the measurement and the tariff.
  public static RatedFlow of(FlowMeasure flow, Tariff tariff) {
    ClassTariff curve = tariff.of(flow.serviceClass());
    ApplicationReference reference = tariff.reference(flow.serviceClass(), flow.application());
    double referenceMs =
        reference.referenceDelay() == 0 ? curve.referenceDelay() : reference.referenceDelay();
    BilledDelay delay = BilledDelay.of(flow, referenceMs);
    double loss = flow.loss();
    double throughputKbitPerSecond = flow.preBytes() * 8.0 / flow.durationMs();
    Price price = Price.at(curve, reference, throughputKbitPerSecond, delay.delayMs(), loss);
    double units = flow.preBytes() * 8.0 / 1000.0 / curve.kappaThroughput();
    MicroDenarii charge = charge(price, units, flow.durationMs());
    return new RatedFlow(
        throughputKbitPerSecond,
        delay,
        loss,
        price,
        units,
        charge,
        discount(flow, tariff.discount(), charge));
  }

  /// Returns price times units, at most the utility that the payer received.
  static MicroDenarii charge(Price price, double units, long durationMs) {
    // Rounding is monotone, so the minimum may be taken before rounding.
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
