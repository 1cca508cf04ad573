package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.billing.tariff.TariffDocument;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HighestPriceTest {
  private static final Tariff TARIFF = TariffDocument.initial();
  private static final List<String> APPLICATIONS =
      List.of("ssh", "web", "skype-voice", "hangout-chat", "default-udp", "unknown");

  /// A flow with measurements over many orders of magnitude, and what is on record about it.
  private static FlowMeasure flow(Random random, ServiceClass serviceClass, String application) {
    long bytes = (long) Math.pow(10, random.nextDouble() * 9);
    long packets = 1 + bytes / 1500;
    return new FlowMeasure(
        serviceClass,
        application,
        Math.max(20, bytes),
        bytes,
        packets,
        random.nextBoolean() ? 0 : random.nextLong(packets + 1),
        1 + (long) Math.pow(10, random.nextDouble() * 5.5),
        random.nextInt(20) == 0 ? 0 : Math.pow(10, random.nextDouble() * 5 - 1),
        null,
        DelaySource.MEASURED);
  }

  @Test
  void noTrafficOfAnApplicationCostsMoreThanTheHighestPriceOfItsUse() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      ServiceClass serviceClass = ServiceClass.values()[random.nextInt(4)];
      String application = APPLICATIONS.get(random.nextInt(APPLICATIONS.size()));
      HighestPrice highest = HighestPrice.of(TARIFF, serviceClass, application);
      long charged = 0;
      Use use = Use.NONE;
      for (int flows = random.nextInt(1, 8); flows > 0; flows--) {
        FlowMeasure flow = flow(random, serviceClass, application);
        charged += RatedFlow.of(flow, TARIFF).charge().value();
        use = use.plus(new Use(flow.preBytes(), flow.durationMs(), flow.durationMs()));
      }
      assertThat(charged)
          .as("seed %d, case %d, %s %s of %s", seed, i, use, serviceClass, application)
          .isLessThanOrEqualTo(highest.charge(use).value());
    }
  }

  @Test
  void theHighestPriceIsNearlyReachedAtTheSteepestPointAndAtFullUtility() {
    HighestPrice highest = HighestPrice.of(TARIFF, ServiceClass.HT_HD, "web");
    FlowMeasure slow =
        new FlowMeasure(
            ServiceClass.HT_HD,
            "web",
            10_000,
            10_000,
            10,
            0,
            600_000,
            0,
            null,
            DelaySource.MEASURED);
    double perByte = RatedFlow.of(slow, TARIFF).charge().value() / 10_000.0;
    assertThat(perByte).isBetween(0.9 * highest.perByte(), highest.perByte());
    assertThat(highest.perMs()).isBetween(600.0, 601.0);
  }

  @Test
  void whatAnAmountPaysCostsNoMoreThanIt() {
    HighestPrice price = HighestPrice.of(TARIFF, ServiceClass.LT_LD, "ssh");
    for (long amount : new long[] {0, 1, 399, 400, 401, 999_999, 123_456_789}) {
      MicroDenarii paid = new MicroDenarii(amount);
      Use bytes = new Use(price.bytesFor(paid), Use.UNKNOWN_MS, 0);
      Use time = new Use(1L << 40, price.millisecondsFor(paid), 0);
      assertThat(price.charge(bytes)).isLessThanOrEqualTo(paid);
      assertThat(price.charge(time)).isLessThanOrEqualTo(paid);
    }
    assertThat(price.bytesFor(new MicroDenarii(-5))).isZero();
  }

  @Test
  void aTimeThatIsNotKnownLeavesThePriceOfTheBytes() {
    HighestPrice price = HighestPrice.of(TARIFF, ServiceClass.LT_LD, "ssh");
    Use told = new Use(1_000_000, Use.UNKNOWN_MS, Use.UNKNOWN_MS);
    assertThat(price.charge(told.plus(told)).value())
        .isEqualTo((long) Math.ceil(price.perByte() * 2_000_000));
    assertThat(new Use(10, 5, 5).beyond(new Use(4, 7, 1))).isEqualTo(new Use(6, Use.UNKNOWN_MS, 4));
    assertThat(new Use(10, 5, 5).beyond(new Use(10, 1, 1))).isEqualTo(Use.NONE);
    assertThat(new Use(10, 5, 5).beyond(new Use(4, 1, 5))).isEqualTo(Use.NONE);
    assertThat(new Use(10, 5, Use.UNKNOWN_MS).beyond(new Use(4, 1, 5)).bytes()).isEqualTo(6);
  }
}
