package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.SeedTariff;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;

/// Tests the rules that hold for every report at the offered point, whatever was measured.
class RatingProperties {
  private static final Tariff OFFERED = SeedTariff.at(OperatingPoint.OFFERED);
  private static final Tariff MEASURED = SeedTariff.at(OperatingPoint.MEASURED);
  private static final Tariff SHIPPED = TariffDocument.initial();
  private static final long INTERVAL_MS = 60_000;

  @Provide
  Arbitrary<FlowMeasure> flows() {
    Arbitrary<Long> bytes =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 5_000), Arbitraries.longs().between(0, 100_000_000));
    Arbitrary<Double> busy =
        Arbitraries.oneOf(Arbitraries.of(0.0, 1.0), Arbitraries.doubles().between(0, 1));
    Arbitrary<Double> spare =
        Arbitraries.oneOf(
            Arbitraries.doubles().between(0, 1000), Arbitraries.doubles().between(0, 1e6));
    return Combinators.combine(
            curves(),
            bytes,
            Arbitraries.doubles().between(0, 20_000),
            Arbitraries.of(0.0, 0.0, 0.01, 0.2, 1.0),
            busy,
            spare)
        .as((application, carried, delayMs, loss, share, left) ->
            new FlowMeasure(
                application.getValue(),
                application.getKey(),
                carried,
                carried,
                loss,
                INTERVAL_MS,
                delayMs,
                null,
                DelaySource.MEASURED,
                Measures.demand(share, left)));
  }

  // Each application of the tariff in its class, and an unknown one in each class.
  private static Arbitrary<Map.Entry<String, ServiceClass>> curves() {
    List<Map.Entry<String, ServiceClass>> curves = new ArrayList<>();
    OFFERED.applications().forEach((name, its) -> curves.add(Map.entry(name, its.serviceClass())));
    for (ServiceClass serviceClass : ServiceClass.values()) {
      curves.add(Map.entry("nobody-knows", serviceClass));
    }
    return Arbitraries.of(curves);
  }

  @Provide
  Arbitrary<List<FlowMeasure>> reports() {
    return flows().list().ofMinSize(1).ofMaxSize(6);
  }

  private static List<RatedFlow> rate(List<FlowMeasure> report, Tariff tariff) {
    return RatedReport.of(report, INTERVAL_MS, Terms.of(tariff)).flows();
  }

  private static long sum(List<RatedFlow> flows) {
    return flows.stream().mapToLong(f -> f.lines().charge().value()).sum();
  }

  @Property
  void aChargeNeverExceedsTheUtilityThatWasReceived(
      @ForAll("reports") List<FlowMeasure> report, @ForAll OperatingPoint point) {
    for (RatedFlow flow : rate(report, SeedTariff.at(point))) {
      double utility = flow.utilityPerSecond() * (INTERVAL_MS / 1000.0);
      assertThat(flow.lines().charge().value()).isBetween(0L, Math.round(utility * 1e6 + 0.5));
    }
  }

  @Property
  void theFlowsOfAnApplicationTogetherPayAtMostTheUtilityOfWhatTheyCarriedTogether(
      @ForAll("flows") FlowMeasure flow, @ForAll @IntRange(min = 1, max = 6) int copies) {
    List<RatedFlow> rated = rate(IntStream.range(0, copies).mapToObj(_ -> flow).toList(), OFFERED);
    Curve curve = OFFERED.curve(flow.serviceClass(), flow.application());
    Placement placement = rated.getFirst().placement();
    Price whole = Price.at(curve, placement.served(), flow.delayMs(), flow.loss());
    double utility = whole.utilityPerSecond() * (INTERVAL_MS / 1000.0) * 1e6;
    assertThat((double) sum(rated)).isLessThanOrEqualTo(utility + copies);
  }

  @Property
  void aFlowThatWaitsForTheWholeIntervalAndIsAloneCostsWhatTheMeasuredPointSays(
      @ForAll("flows") FlowMeasure flow, @ForAll @DoubleRange(max = 1e6) double spare) {
    FlowMeasure waiting = Measures.wanting(flow, Measures.demand(1.0, spare));
    RatedFlow expected = rate(List.of(waiting), MEASURED).getFirst();
    RatedFlow rated = rate(List.of(waiting), OFFERED).getFirst();
    assertThat(rated.lines().charge()).isEqualTo(expected.lines().charge());
    assertThat(rated.price()).isEqualTo(expected.price());
    FlowMeasure silent = Measures.wanting(flow, Demand.UNKNOWN);
    assertThat(rate(List.of(silent), OFFERED).getFirst().lines().charge())
        .isEqualTo(expected.lines().charge());
  }

  @Property
  void cuttingATransferIntoFlowsOfOneReportChangesTheRoundingOnly(
      @ForAll("flows") FlowMeasure whole,
      @ForAll @IntRange(min = 2, max = 8) int parts,
      @ForAll @DoubleRange(max = 1) double firstPart) {
    List<FlowMeasure> cut = new ArrayList<>();
    long rest = whole.preBytes();
    for (int i = 0; i < parts; i++) {
      long part = i == parts - 1 ? rest : (long) (rest * firstPart);
      cut.add(Measures.carrying(whole, part, part));
      rest -= part;
    }
    long together = rate(List.of(whole), OFFERED).getFirst().lines().charge().value();
    // Sums of doubles in another order differ in their last bits: a micro-denarius per den 10^9.
    long tolerated = parts + together / 1_000_000_000;
    assertThat(sum(rate(cut, OFFERED))).isBetween(together - tolerated, together + tolerated);
  }

  @Property
  void pastTheLastKnotOnlyTheTermOfTheDelayRemains(@ForAll("flows") FlowMeasure flow) {
    Curve curve = OFFERED.curve(flow.serviceClass(), flow.application());
    List<double[]> pairs = curve.tariff().throughputMarginal().pairs();
    double enough = pairs.getLast()[0] * curve.referenceThroughput();
    FlowMeasure idle = Measures.wanting(flow, Measures.demand(0.0, enough));
    Price price = rate(List.of(idle), OFFERED).getFirst().price();
    assertThat(price.utilityByThroughput()).isZero();
    assertThat(price.perUnit())
        .isEqualTo(Math.max(0.0, price.utilityByDelay() * curve.tariff().kappaDelay()));
  }

  /// A lie about the demand, and what it is about.
  private record Lie(List<RatedFlow> honest, List<RatedFlow> lied) {
    static Lie of(List<FlowMeasure> report, int index, double busier, double scarcer) {
      int liar = index % report.size();
      Demand truth = report.get(liar).demand();
      double busy = truth.busy() + (1.0 - truth.busy()) * busier;
      double spare = truth.spareKbitPerSecond() * scarcer;
      List<FlowMeasure> told = new ArrayList<>(report);
      told.set(liar, Measures.wanting(report.get(liar), Measures.demand(busy, spare)));
      return new Lie(rate(report, OFFERED), rate(told, OFFERED));
    }
  }

  @Property
  void raisingBusyOrLoweringSpareNeverLowersThePrice(
      @ForAll("reports") List<FlowMeasure> report,
      @ForAll @IntRange(max = 5) int index,
      @ForAll @DoubleRange(max = 1) double busier,
      @ForAll @DoubleRange(max = 1) double scarcer) {
    Lie lie = Lie.of(report, index, busier, scarcer);
    for (int i = 0; i < report.size(); i++) {
      FlowMeasure flow = report.get(i);
      RatedFlow honest = lie.honest().get(i);
      RatedFlow lied = lie.lied().get(i);
      assertThat(lied.price().utilityByThroughput())
          .isGreaterThanOrEqualTo(honest.price().utilityByThroughput());
      // The term of the delay rises with the offered throughput. It can outweigh the term of the
      // throughput only where nearly all utility is lost: at four times the reference delay and
      // more. docs/tariffs.md, "What a device could gain by lying".
      boolean isLost =
          flow.delayMs()
              >= 4 * OFFERED.curve(flow.serviceClass(), flow.application()).referenceDelay();
      double tolerated = isLost ? 1e-6 : 1e-15;
      assertThat(lied.price().perUnit())
          .isGreaterThanOrEqualTo(honest.price().perUnit() - tolerated);
      if (!isLost) {
        assertThat(lied.lines().charge()).isGreaterThanOrEqualTo(honest.lines().charge());
      }
    }
  }

  // The references of an application may not fit the tables of a class that a rule of the user
  // chose.
  @Property(tries = 10_000)
  void aLieInAClassThatAUsersRuleChoseGainsAtMostWhatTheManualSays(
      @ForAll("flows") FlowMeasure flow,
      @ForAll ServiceClass chosen,
      @ForAll @DoubleRange(max = 1) double busier,
      @ForAll @DoubleRange(max = 1) double scarcer) {
    FlowMeasure ruled =
        Measures.flow(chosen, flow.application(), flow.preBytes(), flow.delayMs(), flow.demand());
    Lie lie = Lie.of(List.of(ruled), 0, busier, scarcer);
    double honest = lie.honest().getFirst().price().perUnit();
    double lied = lie.lied().getFirst().price().perUnit();
    double unitsPerMegabyte = 8000 / OFFERED.of(chosen).kappaThroughput();
    assertThat((honest - lied) * unitsPerMegabyte).isLessThan(0.145); // 0.14, rounded
    Curve curve = OFFERED.curve(chosen, flow.application());
    if (flow.delayMs() < curve.referenceDelay() / 4) {
      assertThat(lied).isGreaterThanOrEqualTo(honest - 1e-15);
    }
  }

  // The SNAPT knows how much the path had left, and the device for how long its flow waited. The
  // report divides the first by the rest of the time.
  @Property
  void understatingTheWaitNeverLowersThePrice(
      @ForAll("flows") FlowMeasure flow,
      @ForAll @DoubleRange(max = 0.99) double waited,
      @ForAll @DoubleRange(max = 1) double understated) {
    double left = flow.demand().spareKbitPerSecond();
    FlowMeasure honest = Measures.wanting(flow, Measures.demand(waited, left / (1 - waited)));
    double said = waited * understated;
    FlowMeasure lied = Measures.wanting(flow, Measures.demand(said, left / (1 - said)));
    double price = rate(List.of(honest), OFFERED).getFirst().price().perUnit();
    double liar = rate(List.of(lied), OFFERED).getFirst().price().perUnit();
    assertThat(liar).isGreaterThanOrEqualTo(price - 1e-12 - price * 1e-9);
  }

  @Property
  void aDeviceNeverLowersWhatItPaysByALieAlsoUnderATariffThatRefunds(
      @ForAll("flows") FlowMeasure flow,
      @ForAll @DoubleRange(max = 1) double busier,
      @ForAll @DoubleRange(max = 1) double scarcer) {
    Curve curve = SHIPPED.curve(flow.serviceClass(), flow.application());
    Assume.that(flow.delayMs() < 4 * curve.referenceDelay());
    Demand measured = flow.demand();
    Demand truth = new Demand(measured.busy(), measured.spareKbitPerSecond(), Demand.End.DEVICE);
    Demand told =
        new Demand(
            measured.busy() + (1.0 - measured.busy()) * busier,
            measured.spareKbitPerSecond() * scarcer,
            Demand.End.DEVICE);
    FlowMeasure saved = Measures.carrying(flow, flow.preBytes(), flow.preBytes() / 2);
    RatedFlow honest = rate(List.of(Measures.wanting(saved, truth)), SHIPPED).getFirst();
    RatedFlow lied = rate(List.of(Measures.wanting(saved, told)), SHIPPED).getFirst();
    // Discount and refund are rounded by themselves.
    assertThat(lied.lines().net().value()).isGreaterThanOrEqualTo(honest.lines().net().value() - 2);
  }
}
