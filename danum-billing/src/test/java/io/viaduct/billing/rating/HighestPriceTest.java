package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.tariff.ClassTariff;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import io.viaduct.billing.tariff.Terms;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class HighestPriceTest {
  private static final Tariff TARIFF = TariffDocument.initial();
  private static final List<String> APPLICATIONS =
      List.of("ssh", "web", "skype-voice", "hangout-chat", "default-udp", "unknown");

  /// A flow with measurements over many orders of magnitude, within an interval.
  private static FlowMeasure flow(
      Random random, ServiceClass serviceClass, String application, long intervalMs) {
    long bytes = Math.max(20, (long) Math.pow(10, random.nextDouble() * 9));
    return new FlowMeasure(
        serviceClass,
        application,
        bytes,
        bytes,
        random.nextBoolean() ? 0 : random.nextDouble(),
        1 + random.nextLong(intervalMs),
        random.nextInt(20) == 0 ? 0 : Math.pow(10, random.nextDouble() * 5 - 1),
        null,
        DelaySource.MEASURED,
        random.nextBoolean()
            ? Demand.UNKNOWN
            : new Demand(
                random.nextDouble(), Math.pow(10, random.nextDouble() * 6), Demand.End.DEVICE));
  }

  private static Terms terms(OperatingPoint point) {
    Map<ServiceClass, ClassTariff> classes = new EnumMap<>(ServiceClass.class);
    TARIFF.classes().forEach((name, curve) -> classes.put(name, curve.at(point)));
    Tariff at =
        new Tariff(
            classes,
            TARIFF.applications(),
            TARIFF.discount(),
            TARIFF.fees(),
            TARIFF.caps(),
            TARIFF.refunds(),
            TARIFF.creditFailure(),
            TARIFF.providerFee(),
            TARIFF.relayShare());
    return new Terms(at, new Surcharge(Map.of(ServiceClass.HT_HD, 0.3)));
  }

  @ParameterizedTest
  @EnumSource(OperatingPoint.class)
  void noReportCostsMoreThanTheHighestPriceOfItsUse(OperatingPoint point) {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Terms terms = terms(point);
    for (int i = 0; i < 20_000; i++) {
      ServiceClass serviceClass = ServiceClass.values()[random.nextInt(4)];
      String application = APPLICATIONS.get(random.nextInt(APPLICATIONS.size()));
      HighestPrice highest = HighestPrice.of(terms, serviceClass, application);
      long intervalMs = 1 + (long) Math.pow(10, random.nextDouble() * 5.5);
      List<FlowMeasure> flows =
          Stream.generate(() -> flow(random, serviceClass, application, intervalMs))
              .limit(random.nextInt(1, 8))
              .toList();
      Use use =
          new Use(
              flows.stream().mapToLong(FlowMeasure::preBytes).sum(),
              flows.stream().mapToLong(FlowMeasure::durationMs).sum(),
              intervalMs);
      assertThat(RatedReport.of(flows, intervalMs, terms).lines().net())
          .as("seed %d, case %d, %s %s of %s", seed, i, use, serviceClass, application)
          .isLessThanOrEqualTo(highest.charge(use));
    }
  }

  @Test
  void theHighestPriceIsNearlyReachedAtTheSteepestPoint() {
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
    assertThat(highest.perMs()).isEqualTo(600.0);
    assertThat(highest.feePerByte()).isEqualTo(0.32);
  }

  @Test
  void aTimeThatIsNotKnownLeavesThePriceOfTheBytes() {
    HighestPrice price = HighestPrice.of(terms(OperatingPoint.OFFERED), ServiceClass.LT_LD, "ssh");
    Use told = new Use(1_000_000, Use.UNKNOWN_MS, Use.UNKNOWN_MS);
    assertThat(price.charge(told.plus(told)).value())
        .isEqualTo((long) Math.ceil((price.perByte() + price.feePerByte() + 0.1) * 2_000_000));
    assertThat(new Use(10, 5, 5).beyond(new Use(4, 7, 1))).isEqualTo(new Use(6, Use.UNKNOWN_MS, 4));
    assertThat(new Use(10, 5, 5).beyond(new Use(10, 1, 1))).isEqualTo(Use.NONE);
    assertThat(new Use(10, 5, 5).beyond(new Use(4, 1, 5))).isEqualTo(Use.NONE);
    assertThat(new Use(10, 5, Use.UNKNOWN_MS).beyond(new Use(4, 1, 5)).bytes()).isEqualTo(6);
  }
}
