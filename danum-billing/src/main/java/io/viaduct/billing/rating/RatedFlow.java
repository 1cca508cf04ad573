package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.DiscountRule;
import io.viaduct.billing.tariff.Tariff;

/// One flow of one interval with its price.
///
/// @param placement its place on the curve
/// @param delay the delay that it was priced at
/// @param loss lost share of packets, 0..1
/// @param price utility and price at the offered throughput
/// @param utilityPerSecond the flow's part of the utility that was received, den/s
/// @param units V, virtual units
/// @param charge amount owed for the service
/// @param discount amount given back for saved bytes, 0 <= discount <= cap * charge
public record RatedFlow(
    Placement placement,
    BilledDelay delay,
    double loss,
    Price price,
    double utilityPerSecond,
    double units,
    MicroDenarii charge,
    MicroDenarii discount) {

  /// Rates one flow at its place.
  static RatedFlow of(FlowMeasure flow, Placement placement, Tariff tariff) {
    Curve curve = tariff.curve(flow.serviceClass(), flow.application());
    BilledDelay delay = BilledDelay.of(flow, curve.referenceDelay());
    Price price = Price.at(curve, placement.offered(), delay.delayMs(), flow.loss());
    Price received = Price.at(curve, placement.served(), delay.delayMs(), flow.loss());
    double units = flow.preBytes() * 8.0 / 1000.0 / curve.tariff().kappaThroughput();
    MicroDenarii charge = charge(price, received, units, placement);
    return new RatedFlow(
        placement,
        delay,
        flow.loss(),
        price,
        received.utilityPerSecond() * placement.share(),
        units,
        charge,
        discount(flow, tariff.discount(), charge));
  }

  /// Returns price times units, at most the flow's part of the utility that was received.
  static MicroDenarii charge(Price price, Price received, double units, Placement placement) {
    // Rounding is monotone, so the minimum may be taken before rounding.
    double priced = price.perUnit() * units;
    double utility =
        received.utilityPerSecond() * (placement.receivedMs() / 1000.0) * placement.share();
    return Rounding.ofDenarii(Math.min(priced, utility));
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
