package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.HighestPrice;
import io.viaduct.billing.rating.Use;
import io.viaduct.billing.tariff.OperatingPoint;
import io.viaduct.billing.tariff.ServiceClass;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuotaTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Bound PRICE =
      new Bound(List.of(new HighestPrice(OperatingPoint.MEASURED, 10, 400, 0, 0)));
  private static final GrantRules RULES =
      new GrantRules(Duration.ofSeconds(2), 65_536, Duration.ofSeconds(5), Duration.ofMillis(200));

  private static Quota first() {
    return Quota.first(
        new SessionKey("snapt-1", "session"),
        new Application("web", ServiceClass.HT_HD),
        Use.NONE,
        NOW);
  }

  private static UsedByApplication told(Use used, double rate, long flows) {
    return new UsedByApplication(new Application("web", ServiceClass.HT_HD), used, rate, flows);
  }

  /// One application as a SNAPT meters it. It uses quotas in any way, and reports whenever it
  /// likes; requests and reports arrive in any order and repeatedly.
  @Test
  void whatIsUsedAndNotChargedIsReservedAtEachMoment() {
    for (int run = 0; run < 500; run++) {
      long seed = System.nanoTime();
      Random random = new Random(seed);
      MicroDenarii credit = new MicroDenarii(random.nextLong(5_000_000));
      Quota quota = first();
      Use used = Use.NONE;
      Use posted = Use.NONE;
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(4)) {
          case 0, 1 -> { // a request
            quota = quota.told(told(used, random.nextInt(3_000_000), 1), PRICE);
            MicroDenarii spendable = credit.minus(quota.reserved());
            quota = RULES.grant(quota, PRICE, spendable, NOW);
            assertThat(quota.reserved().value())
                .as("seed %d, step %d", seed, step)
                .isLessThanOrEqualTo(
                    Math.max(credit.value(), PRICE.charge(used.beyond(posted)).value()));
          }
          case 2 -> { // traffic within the quota and its validity
            long bytes = quota.allowed().bytes() - used.bytes();
            long ms = quota.allowed().flowMs() - used.flowMs();
            if (bytes > 0 && ms > 0) {
              long forMs = 1 + random.nextLong(ms);
              used = used.plus(new Use(random.nextLong(bytes + 1), forMs, forMs));
            }
          }
          default -> { // a report of a part of the use
            Use left =
                new Use(
                    used.bytes() - posted.bytes(),
                    used.flowMs() - posted.flowMs(),
                    used.intervalMs() - posted.intervalMs());
            if (left.flowMs() > 0) {
              long ms = random.nextLong(left.flowMs() + 1);
              boolean isAll = ms == left.flowMs();
              long bytes = isAll ? left.bytes() : random.nextLong(left.bytes() + 1);
              Use report = new Use(bytes, ms, ms);
              posted = posted.plus(report);
              quota = quota.covered(report, PRICE);
            }
          }
        }
        assertThat(quota.reserved())
            .as("seed %d, step %d: %s used, %s posted, %s", seed, step, used, posted, quota)
            .isGreaterThanOrEqualTo(PRICE.charge(used.beyond(posted)));
      }
    }
  }

  @Test
  void shortOfCreditAFastFlowGetsLessTimeAndThenNothing() {
    Quota fast = first().told(told(Use.NONE, 1e7, 1), PRICE);
    Quota cut = RULES.grant(fast, PRICE, new MicroDenarii(400_000), NOW);
    assertThat(cut.allowed().flowMs()).isEqualTo(995);
    assertThat(cut.allowed().bytes()).isEqualTo(20_000_000);
    assertThat(cut.isCut()).isTrue();
    Quota none = RULES.grant(fast, PRICE, new MicroDenarii(60_000), NOW);
    assertThat(none.hasRest()).as("200 ms of it cost up to 80 400").isFalse();
    assertThat(none.reserved()).isEqualTo(MicroDenarii.ZERO);
  }

  @Test
  void shortOfCreditASlowFlowGetsFewerBytes() {
    Quota slow = first().told(told(Use.NONE, 1e3, 1), PRICE);
    Quota cut = RULES.grant(slow, PRICE, new MicroDenarii(60_000), NOW);
    assertThat(cut.allowed().bytes()).isEqualTo(5_940);
    assertThat(cut.allowed().flowMs()).isEqualTo(5_000);
    Quota none = RULES.grant(slow, PRICE, new MicroDenarii(14_999), NOW);
    assertThat(none.hasRest()).isFalse();
  }

  @Test
  void aFlowThatIsRefusedKeepsItsRateForAWhile() {
    Quota fast = first().told(told(Use.NONE, 1e7, 1), PRICE);
    Quota refused = RULES.grant(fast, PRICE, new MicroDenarii(60_000), NOW);
    for (int asks = 1; asks <= 3; asks++) {
      refused = refused.told(told(Use.NONE, 0, 1), PRICE);
      refused = RULES.grant(refused, PRICE, new MicroDenarii(60_000), NOW);
      assertThat(refused.hasRest()).as("after %d refused requests", asks).isFalse();
    }
    for (int asks = 4; asks <= 12; asks++) {
      refused = refused.told(told(Use.NONE, 0, 1), PRICE);
    }
    assertThat(RULES.grant(refused, PRICE, new MicroDenarii(60_000), NOW).hasRest())
        .as("a small grant would last now")
        .isTrue();
  }

  @Test
  void aGrantIsNeverTakenBackByAPush() {
    Quota held = RULES.grant(first(), PRICE, new MicroDenarii(60_000), NOW);
    Quota pushed = RULES.grant(held, PRICE, new MicroDenarii(5_000_000), NOW.plusSeconds(4));
    assertThat(pushed.allowed().bytes()).isEqualTo(held.allowed().bytes() + 65_536);
    assertThat(pushed.allowed().flowMs()).isEqualTo(held.allowed().flowMs() + 5_000);
    assertThat(pushed.isCut()).isFalse();
  }
}
