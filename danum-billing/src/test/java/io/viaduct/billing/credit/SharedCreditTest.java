package io.viaduct.billing.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.tariff.ServiceClass;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Applications of several sessions that share one credit. The SNAPTs keep to docs/protocol.md,
/// reports arrive late, and an oracle knows all use ([SharedCredit]).
class SharedCreditTest {
  private static final long DENARIUS = 1_000_000;

  /// Longest time for which an application may wait while credit is left. It asks again after 5 s;
  /// then come an interval of 250 ms, a report that takes half a second, and a push.
  private static final long WAIT_MS_MAX = 6_000;

  private static final Application WEB = new Application("web", ServiceClass.HT_HD);
  private static final Application MAIL = new Application("mail", ServiceClass.LT_HD);
  private static final Application CALL = new Application("skype-voice", ServiceClass.HT_LD);

  @Test
  void noUseIsBeyondTheCreditAndNobodyWaitsWhileSomeIsLeft() {
    for (int run = 0; run < 300; run++) {
      share(System.nanoTime());
    }
  }

  /// In this run an application ended and told its last use to nobody: its grant lapsed, and the
  /// credit was given twice.
  @Test
  void theLastUseOfAnApplicationIsToldBeforeItsGrantLapses() {
    share(83_020_639_736_179L);
  }

  private static void share(long seed) {
    Random random = new Random(seed);
    var world = new SharedCredit((1 + random.nextInt(20)) * DENARIUS, random);
    for (int session = 0; session < 2; session++) {
      for (Application application : List.of(WEB, MAIL, CALL)) {
        if (random.nextInt(3) > 0) {
          int begins = random.nextInt(20_000);
          double rate = Math.pow(10, 3 + random.nextDouble() * 4);
          world.add(session, application, rate, begins, begins + random.nextInt(40_000));
        }
      }
    }
    while (world.isGoingOn()) {
      world.step();
      assertThat(world.spentAtMost())
          .as("seed %d, %d ms: charges, and what other use costs at most", seed, world.nowMs())
          .isLessThanOrEqualTo(world.credit() + world.rounding());
      if (world.left() >= world.enoughForAll()) {
        assertThat(world.longestWaitMs())
            .as("seed %d, %d ms: %s", seed, world.nowMs(), world)
            .isLessThanOrEqualTo(WAIT_MS_MAX);
      }
    }
  }

  @Test
  void anApplicationThatComesLaterGetsItsShareOfWhatOneHasReserved() {
    var world = new SharedCredit(4 * DENARIUS, new Random(1));
    world.add(0, WEB, 5e6, 0, 60_000);
    world.add(1, MAIL, 1e4, 3_000, 60_000);
    while (world.nowMs() < 5_000) {
      world.step();
    }
    assertThat(world.longestWaitMs()).isZero();
  }
}
