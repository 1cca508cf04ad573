package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.BillLines;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.AccessFee;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.DiscountRule;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.Terms;
import org.jspecify.annotations.Nullable;

/// One flow of one interval with its price and its bill.
///
/// @param placement its place on the curve
/// @param delay the delay that it was priced at
/// @param loss lost share of packets, 0..1
/// @param price utility and price at the offered throughput
/// @param received utility and price at the throughput that was served
/// @param units V, virtual units
/// @param broken the promise that was broken, or null
/// @param lines the bill
public record RatedFlow(
    Placement placement,
    BilledDelay delay,
    double loss,
    Price price,
    Price received,
    double units,
    @Nullable BrokenPromise broken,
    BillLines lines) {

  /// Rates one flow at its place. The bill of a flow that a call carries is empty.
  ///
  /// @param minuteFee the flow's share of the interval's access fee per minute
  static RatedFlow of(FlowMeasure flow, Placement placement, MicroDenarii minuteFee, Terms terms) {
    Tariff tariff = terms.tariff();
    Curve curve = tariff.curve(flow.serviceClass(), flow.application());
    BilledDelay delay = BilledDelay.of(flow, curve.referenceDelay());
    Price price = Price.at(curve, placement.offered(), delay.delayMs(), flow.loss());
    Price received = Price.at(curve, placement.served(), delay.delayMs(), flow.loss());
    double units = flow.preBytes() * 8.0 / 1000.0 / curve.tariff().kappaThroughput();
    if (flow.call() != null) {
      return new RatedFlow(
          placement, delay, flow.loss(), price, received, units, null, BillLines.NOTHING);
    }
    BrokenPromise broken = BrokenPromise.of(flow, placement, delay, curve, tariff).orElse(null);

    MicroDenarii charge = charge(price, received, units, placement, tariff);
    Gift gift = Gift.of(discount(flow, tariff.discount(), charge), tariff.discount());
    BillLines lines =
        new BillLines(
            charge,
            gift.discount(),
            gift.reward(),
            perMegabyte(tariff.fee(AccessFee.PER_MEGABYTE), flow).plus(minuteFee),
            perMegabyte(terms.surcharge().of(flow.serviceClass()), flow),
            broken == null
                ? MicroDenarii.ZERO
                : Rounding.share(charge.minus(gift.discount()), tariff.refund(broken.promise())));
    return new RatedFlow(placement, delay, flow.loss(), price, received, units, broken, lines);
  }

  /// Returns the flow's part of the utility that was received, den/s.
  public double utilityPerSecond() {
    return received.utilityPerSecond() * placement.share();
  }

  /// Returns the flow's part of the utility that was received in the whole time, den.
  public double utility() {
    return utility(received, placement);
  }

  private static double utility(Price received, Placement placement) {
    return received.utilityPerSecond() * (placement.receivedMs() / 1000.0) * placement.share();
  }

  // Price times units, at most the flow's part of the utility that was received, and at most the
  // cap. Rounding is monotone, so the minimum may be taken before rounding.
  private static MicroDenarii charge(
      Price price, Price received, double units, Placement placement, Tariff tariff) {
    double priced = price.perUnit() * units;
    double utility = utility(received, placement);
    double cap = tariff.caps().getOrDefault(Cap.FLOW_INTERVAL, Double.POSITIVE_INFINITY);
    return Rounding.ofDenarii(Math.min(Math.min(priced, utility), cap));
  }

  private static MicroDenarii discount(FlowMeasure flow, DiscountRule rule, MicroDenarii charge) {
    double earned = rule.denariiPerMegabyte() * rule.bytes(flow.preBytes(), flow.postBytes());
    double cap = rule.cap() * charge.value();
    return Rounding.ofMicroDenarii(Math.min(earned, cap));
  }

  // Numerically, den/MB is micro-denarii per byte.
  private static MicroDenarii perMegabyte(double denarii, FlowMeasure flow) {
    return Rounding.ofMicroDenarii(denarii * flow.preBytes());
  }

  /// The discount for saved bytes, as its beneficiaries get it.
  private record Gift(MicroDenarii discount, MicroDenarii reward) {
    static Gift of(MicroDenarii whole, DiscountRule rule) {
      return switch (rule.beneficiary()) {
        case USER -> new Gift(whole, MicroDenarii.ZERO);
        case SHARER -> new Gift(MicroDenarii.ZERO, whole);
        case SPLIT -> {
          MicroDenarii reward = new MicroDenarii(whole.value() / 2);
          yield new Gift(whole.minus(reward), reward);
        }
      };
    }
  }
}
