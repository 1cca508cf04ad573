package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HighestPriceTest {
  private static final List<String> APPLICATIONS =
      List.of("ssh", "web", "skype-voice", "hangout-chat", "default-udp", "unknown");

  /// The initial tariff, with one operating point in every class, and a surcharge.
  private static Terms terms(OperatingPoint point) {
    String other = point == OperatingPoint.OFFERED ? "MEASURED" : "OFFERED";
    String document =
        TariffDocument.print(TariffDocument.initial())
            .replace("\"" + other + "\"", "\"" + point + "\"");
    return new Terms(
        TariffDocument.parse(document), new Surcharge(Map.of(ServiceClass.LT_LD, 0.7)));
  }

  /// A flow with measurements over many orders of magnitude, and what is on record about it.
  private static FlowMeasure flow(
      Random random, ServiceClass serviceClass, String application, long intervalMs) {
    long bytes = Math.max(20, (long) Math.pow(10, random.nextDouble() * 9));
    Demand demand =
        random.nextInt(4) == 0
            ? Demand.UNKNOWN
            : new Demand(random.nextDouble(), random.nextDouble() * 1e5, Demand.End.SNAPT);
    return new FlowMeasure(
        serviceClass,
        application,
        bytes,
        bytes,
        random.nextBoolean() ? 0 : random.nextDouble(),
        random.nextLong(1, intervalMs + 1),
        random.nextInt(20) == 0 ? 0 : Math.pow(10, random.nextDouble() * 5 - 1),
        null,
        DelaySource.MEASURED,
        demand);
  }

  @ParameterizedTest
  @EnumSource
  void noTrafficOfAnApplicationCostsMoreThanTheHighestPriceOfItsUse(OperatingPoint point) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Terms terms = terms(point);
    for (int i = 0; i < 20_000; i++) {
      ServiceClass serviceClass = ServiceClass.values()[random.nextInt(4)];
      String application = APPLICATIONS.get(random.nextInt(APPLICATIONS.size()));
      HighestPrice highest = HighestPrice.of(terms, serviceClass, application);
      long intervalMs = 1 + (long) Math.pow(10, random.nextDouble() * 5.4);
      List<FlowMeasure> flows = new ArrayList<>();
      Use use = new Use(0, 0, intervalMs);
      for (int left = random.nextInt(1, 8); left > 0; left--) {
        FlowMeasure flow = flow(random, serviceClass, application, intervalMs);
        flows.add(flow);
        use = use.plus(new Use(flow.preBytes(), flow.durationMs(), 0));
      }
      assertThat(RatedReport.of(flows, intervalMs, terms).lines().gross().value())
          .as("seed %d, case %d, %s %s of %s", seed, i, use, serviceClass, application)
          .isLessThanOrEqualTo(highest.charge(use).value());
    }
  }

  @Test
  void theHighestPriceIsNearlyReachedAtTheSteepestPointAndAtFullUtility() {
    Terms terms = terms(OperatingPoint.MEASURED);
    HighestPrice highest = HighestPrice.of(terms, ServiceClass.HT_HD, "web");
    FlowMeasure slow =
        new FlowMeasure(
            ServiceClass.HT_HD,
            "web",
            10_000,
            10_000,
            0,
            600_000,
            0,
            null,
            DelaySource.MEASURED,
            Demand.UNKNOWN);
    double perByte =
        RatedReport.of(List.of(slow), 600_000, terms).lines().charge().value() / 10_000.0;
    assertThat(perByte).isBetween(0.9 * highest.perByte(), highest.perByte());
    assertThat(highest.perFlowMs()).isBetween(600.0, 601.0);
  }

  @ParameterizedTest
  @EnumSource
  void whatAnAmountPaysCostsNoMoreThanIt(OperatingPoint point) {
    HighestPrice price = HighestPrice.of(terms(point), ServiceClass.LT_LD, "ssh");
    for (long amount : new long[] {0, 1, 399, 400, 401, 999_999, 123_456_789}) {
      MicroDenarii paid = new MicroDenarii(amount);
      Use bytes = new Use(price.bytesFor(paid), Use.UNKNOWN_MS, 0);
      assertThat(price.charge(bytes)).isLessThanOrEqualTo(paid);
      long ms = price.millisecondsFor(paid, 5_000, 3);
      if (ms > 0) {
        assertThat(price.charge(new Use(5_000, 3 * ms, ms))).isLessThanOrEqualTo(paid);
      }
    }
    assertThat(price.bytesFor(new MicroDenarii(-5))).isZero();
    assertThat(price.millisecondsFor(new MicroDenarii(-5), 1, 1)).isZero();
  }

  @Test
  void aTimeThatIsNotKnownLeavesThePriceOfTheBytes() {
    HighestPrice price = new HighestPrice(10, 400, 0, 0, 0);
    Use told = new Use(1_000_000, Use.UNKNOWN_MS, Use.UNKNOWN_MS);
    assertThat(price.charge(told.plus(told)).value()).isEqualTo(20_000_000);
    assertThat(new Use(10, 5, 5).beyond(new Use(4, 7, 1))).isEqualTo(new Use(6, Use.UNKNOWN_MS, 4));
    assertThat(new Use(10, 5, 5).beyond(new Use(10, 1, 1))).isEqualTo(Use.NONE);
    assertThat(new Use(10, 5, 5).beyond(new Use(4, 1, 5))).isEqualTo(Use.NONE);
    assertThat(new Use(10, 5, Use.UNKNOWN_MS).beyond(new Use(4, 1, 5)).bytes()).isEqualTo(6);
  }
}
