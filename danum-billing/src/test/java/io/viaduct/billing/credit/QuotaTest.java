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
      new GrantRules(
          Duration.ofSeconds(2),
          65_536,
          Duration.ofSeconds(5),
          Duration.ofMillis(200),
          Duration.ZERO);

  private static final GrantRules GRACIOUS =
      new GrantRules(
          Duration.ofSeconds(2),
          65_536,
          Duration.ofSeconds(5),
          Duration.ofMillis(200),
          Duration.ofSeconds(60));
  private static final Application WEB = new Application("web", ServiceClass.HT_HD);
  private static final Application CALL = new Application("skype-voice", ServiceClass.HT_LD);

  private static Quota first(Application application) {
    return Quota.first(new SessionKey("snapt-1", "session"), application, Use.NONE, NOW);
  }

  private static Quota first() {
    return first(WEB);
  }

  private static UsedByApplication told(Use used, double rate, long flows) {
    return new UsedByApplication(WEB, used, rate, flows);
  }

  /// One application as a SNAPT meters it. It uses quotas in any way, and reports whenever it
  /// likes; requests and reports arrive in any order and repeatedly.
  @Test
  void whatIsUsedAndNotChargedIsReservedAtEachMoment() {
    for (int run = 0; run < 500; run++) {
      long seed = System.nanoTime();
      Random random = new Random(seed);
      MicroDenarii credit = new MicroDenarii(random.nextLong(50_000_000));
      GrantRules rules = run % 2 == 0 ? RULES : GRACIOUS;
      Quota quota = first(run % 3 == 0 ? WEB : CALL);
      Instant now = NOW;
      Use used = Use.NONE;
      Use posted = Use.NONE;
      for (int step = 0; step < 60; step++) {
        switch (random.nextInt(4)) {
          case 0, 1 -> { // a request
            quota = quota.told(told(used, random.nextInt(3_000_000), 1), PRICE);
            MicroDenarii spendable = credit.minus(quota.reserved());
            now = now.plusMillis(random.nextInt(20_000));
            quota = rules.grant(quota, PRICE, spendable, now);
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

  private static final MicroDenarii NOTHING = MicroDenarii.ZERO;

  /// A call of 10 kB/s, with a grace that was kept while 200 den were free.
  private static Quota call() {
    Quota call = first(CALL).told(told(Use.NONE, 1e4, 1), PRICE);
    return GRACIOUS.grant(call, PRICE, MicroDenarii.ofDenarii(200), NOW);
  }

  @Test
  void aCallGoesOnAtZeroCreditForTheGraceThatWasKept() {
    Quota call = call();
    assertThat(call.grace().kept()).isEqualTo(new Use(600_000, 60_000, 60_000));
    assertThat(call.isCut()).isFalse();
    MicroDenarii reserved = call.reserved();
    Use used = Use.NONE;
    int seconds = 0;
    for (; seconds < 100 && call.hasRest(); seconds += 5) {
      used = used.plus(new Use(50_000, 5_000, 5_000));
      call = call.told(told(used, 1e4, 1), PRICE);
      call = GRACIOUS.grant(call, PRICE, NOTHING, NOW.plusSeconds(seconds + 5));
      assertThat(call.reserved()).as("after %d s", seconds).isLessThanOrEqualTo(reserved);
    }
    assertThat(seconds).as("5 s of its quota, and the grace").isEqualTo(65);
    assertThat(call.passed(40_000)).isEqualTo(PassRule.QUOTA);
    assertThat(call.passed(60_000)).isEqualTo(PassRule.GRACE);
    assertThat(call.passed(10_000_000)).isEqualTo(PassRule.BEYOND_QUOTA);
  }

  @Test
  void aGraceEndsWhenThereIsCreditAgain() {
    Use used = new Use(50_000, 5_000, 5_000);
    Quota call = call().told(told(used, 1e4, 1), PRICE);
    call = GRACIOUS.grant(call, PRICE, NOTHING, NOW.plusSeconds(5));
    assertThat(call.grace().hasBegun()).isTrue();
    assertThat(call.isCut()).as("a top-up is pushed").isTrue();
    call = GRACIOUS.grant(call, PRICE, MicroDenarii.ofDenarii(200), NOW.plusSeconds(6));
    assertThat(call.grace().hasBegun()).isFalse();
    assertThat(call.grace().kept().intervalMs()).isEqualTo(60_000);
  }

  @Test
  void noGraceIsKeptForABulkTransferNorBeforeTheRateIsKnownNorWithMoreThanHalfOfTheCredit() {
    MicroDenarii much = MicroDenarii.ofDenarii(200);
    Quota bulk = first(WEB).told(told(Use.NONE, 1e4, 1), PRICE);
    assertThat(GRACIOUS.grant(bulk, PRICE, much, NOW).grace()).isEqualTo(Grace.NONE);
    assertThat(GRACIOUS.grant(first(CALL), PRICE, much, NOW).grace()).isEqualTo(Grace.NONE);
    MicroDenarii ten = MicroDenarii.ofDenarii(10);
    Quota call = GRACIOUS.grant(first(CALL).told(told(Use.NONE, 1e4, 1), PRICE), PRICE, ten, NOW);
    MicroDenarii kept = PRICE.charge(call.grace().kept());
    assertThat(kept.value()).isBetween(1_000_000L, 5_000_000L);
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
