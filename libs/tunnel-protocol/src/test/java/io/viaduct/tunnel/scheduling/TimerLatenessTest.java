package io.viaduct.tunnel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TimerLatenessTest {
  private static final int TIMERS = 20_000;
  private final TimerLateness lateness = new TimerLateness();

  @Test
  void twoOfAHundredAreLaterThanTheBound() {
    var seeds = new SplittableRandom(7);
    for (int run = 0; run < 20; run++) {
      long seed = seeds.nextLong();
      var random = new SplittableRandom(seed);
      double meanNs = 20_000 + random.nextInt(300_000);
      int later = 0;
      for (int i = 0; i < 2 * TIMERS; i++) {
        long lateNs = (long) (-meanNs * Math.log(1 - random.nextDouble()));
        if (i >= TIMERS && lateNs > lateness.boundNs()) {
          later++;
        }
        lateness.fired(lateNs);
      }
      assertThat(later * 100.0 / TIMERS)
          .as("mean %.0f ns, seed %d", meanNs, seed)
          .isBetween(1.0, 3.0);
    }
  }

  @Test
  void theBoundIsLimited() {
    for (int i = 0; i < TIMERS; i++) {
      lateness.fired(Long.MAX_VALUE);
    }
    assertThat(lateness.boundNs()).isEqualTo(TimerLateness.BOUND_NS_MAX);
  }

  @Test
  void theBoundReturnsToZeroAfterFiveHundredTimersOnTime() {
    for (int i = 0; i < 100; i++) {
      lateness.fired(5_000_000);
    }
    for (int i = 0; i < 500; i++) {
      lateness.fired(0);
    }
    assertThat(lateness.boundNs()).isZero();
  }
}
