package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.AccessFee;
import io.viaduct.billing.tariff.Cap;
import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.DiscountRule;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.Terms;
import java.util.ArrayList;
import java.util.List;

/// The computation of a rated flow, step by step. The numbers are those of the [RatedFlow]; nothing
/// that was rounded or compared is computed again.
public final class PriceSteps {
  private final List<Step> steps = new ArrayList<>();

  private PriceSteps() {}

  /// One number of the computation.
  ///
  /// @param name stable name
  /// @param formula how it follows from inputs, tariff and earlier steps
  /// @param value the number
  /// @param unit its unit; empty without one
  public record Step(String name, String formula, double value, String unit) {}

  /// Returns the steps in their order.
  public static List<Step> of(FlowMeasure flow, RatedFlow rated, Terms terms) {
    PriceSteps steps = new PriceSteps();
    Curve curve = terms.tariff().curve(flow.serviceClass(), flow.application());
    steps.place(rated.placement());
    steps.curve(rated, curve);
    steps.value(rated);
    if (flow.call() == null) {
      steps.charge(rated, terms.tariff());
      steps.lines(flow, rated, terms);
    } else {
      steps.carried(flow.call());
    }
    return List.copyOf(steps.steps);
  }

  private void add(String name, String formula, double value, String unit) {
    steps.add(new Step(name, formula, value, unit));
  }

  private void place(Placement place) {
    add("throughput", "8 · bytes / time", place.throughput(), "kbit/s");
    add("served", "what the utility is received for", place.served(), "kbit/s");
    add("room", "offered − served", place.offered() - place.served(), "kbit/s");
    add("offered", "where the price is taken", place.offered(), "kbit/s");
    add("time", "time in which it was served", place.receivedMs(), "ms");
    add("share", "bytes / bytes of the application", place.share(), "");
  }

  private void curve(RatedFlow rated, Curve curve) {
    ClassTariff tariff = curve.tariff();
    Price price = rated.price();
    add(
        "x/x_ref",
        "offered / x_ref",
        rated.placement().offered() / curve.referenceThroughput(),
        "");
    add("d/d_ref", "delay / d_ref", rated.delay().delayMs() / curve.referenceDelay(), "");
    add("m", "marginal of the throughput at x/x_ref", price.point().throughput().value(), "");
    add("∫m", "its integral from 0", price.point().throughput().area(), "");
    add("n", "marginal of the delay at d/d_ref", price.point().delay().value(), "");
    add("∫n", "its integral from 0", price.point().delay().area(), "");
    add("M", "area under m", tariff.throughputMarginal().area(), "");
    add("N", "area under n", tariff.delayMarginal().area(), "");
    add("g", "max(0, 1 − loss-slope · loss)", price.point().lossFactor(), "");
    add("U", "w · g · ∫m/M · (1 − ∫n/N)", price.utilityPerSecond(), "den/s");
    add(
        "dU/dx",
        "w · g · (1 − ∫n/N) · m / (M · x_ref)",
        price.utilityByThroughput(),
        "den/s per kbit/s");
    add("dU/dd", "−(w · g · ∫m/M · n / (N · d_ref))", price.utilityByDelay(), "den/s per ms");
    add("p", "max(0, dU/dx · κ_x + dU/dd · κ_d)", price.perUnit(), "den/vu");
  }

  private void value(RatedFlow rated) {
    add("V", "8 · bytes / 1000 / κ_x", rated.units(), "vu");
    add("priced", "p · V", rated.price().perUnit() * rated.units(), "den");
    add("U served", "U at the served throughput", rated.received().utilityPerSecond(), "den/s");
    add("utility", "U served · time · share", rated.utility(), "den");
  }

  private void carried(long call) {
    add("carried", "carried by call %d: charged per second".formatted(call), 0, "µden");
    add("net", "nothing", 0, "µden");
  }

  private void charge(RatedFlow rated, Tariff tariff) {
    if (tariff.caps().containsKey(Cap.FLOW_INTERVAL)) {
      add("cap", "caps.FLOW_INTERVAL", tariff.caps().get(Cap.FLOW_INTERVAL), "den");
    }
    add("charge", "round(min(priced, utility, cap))", rated.lines().charge().value(), "µden");
  }

  private void lines(FlowMeasure flow, RatedFlow rated, Terms terms) {
    DiscountRule discount = terms.tariff().discount();
    add(
        "discounted bytes",
        switch (discount.base()) {
          case SAVED -> "max(0, pre − post)";
          case SERVED -> "pre";
        },
        discount.bytes(flow.preBytes(), flow.postBytes()),
        "bytes");
    add(
        "discount and reward",
        "round(min(%s · bytes, %s · charge)), for %s"
            .formatted(discount.denariiPerMegabyte(), discount.cap(), discount.beneficiary()),
        rated.lines().discount().plus(rated.lines().reward()).value(),
        "µden");
    add("discount", "the user's part", rated.lines().discount().value(), "µden");
    add(
        "access fee",
        "round(%s · bytes) + a share of %s den per minute"
            .formatted(
                terms.tariff().fee(AccessFee.PER_MEGABYTE),
                terms.tariff().fee(AccessFee.PER_MINUTE)),
        rated.lines().accessFee().value(),
        "µden");
    add(
        "surcharge",
        "round(%s · bytes)".formatted(terms.surcharge().of(flow.serviceClass())),
        rated.lines().surcharge().value(),
        "µden");
    BrokenPromise broken = rated.broken();
    add(
        "refund",
        broken == null
            ? "no promise was broken that is refunded"
            : "round(%s · (charge − discount)), %s: promised %s, measured %s"
                .formatted(
                    terms.tariff().refund(broken.promise()),
                    broken.promise(),
                    broken.promised(),
                    broken.measured()),
        rated.lines().refund().value(),
        "µden");
    add(
        "net",
        "charge + access fee + surcharge − discount − refund",
        rated.lines().net().value(),
        "µden");
  }
}
