package io.viaduct.cnapt.snapts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BetterSnaptTest {
  private static final long SEED = 20_261_126;
  private static final long STEP_NS = 1_500_000_000L; // of the watch

  private static final int STEPS = (int) (BetterSnapt.HOLD_NS_MIN / STEP_NS);

  private final BetterSnapt better = new BetterSnapt();
  private long nowNs = 1;

  private boolean step(double usedMs, double rivalMs) {
    nowNs += STEP_NS;
    return better.leaves(usedMs, rivalMs, nowNs);
  }

  @Test
  void aSnaptThatIsClearlyNearerForTheHoldTimeIsTaken() {
    for (int i = 0; i < STEPS; i++) {
      assertThat(step(100, 20)).as("after %s steps", i).isFalse();
    }
    assertThat(step(100, 20)).as("after 2 min").isTrue();
  }

  @Test
  void oneThatIsNearerByLessThanAMarginIsNot() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(step(100, 81)).isFalse();
      assertThat(step(12, 8)).as("4 ms").isFalse();
    }
  }

  @Test
  void aMomentWithoutTheAdvantageBeginsTheHoldTimeAnew() {
    for (int i = 0; i < 10; i++) {
      for (int j = 0; j < STEPS; j++) {
        assertThat(step(100, 20)).isFalse();
      }
      assertThat(step(100, 95)).isFalse();
    }
  }

  @Test
  void whatIsNotMeasuredDecidesNothing() {
    for (int i = 0; i < 10; i++) {
      assertThat(step(Double.NaN, 20)).isFalse();
      assertThat(step(100, Double.NaN)).isFalse();
    }
  }

  @Test
  void twoSnaptsWhoseRoundTripsSwingAreExchangedEverMoreSeldom() {
    double one = 100;
    double other = 20;
    int left = 0;
    for (int i = 0; i < 24_000; i++) { // ten hours, and the near one changes every 3 min
      if (i % 120 == 0) {
        double kept = one;
        one = other;
        other = kept;
      }
      if (step(one, other)) {
        left++;
        double kept = one;
        one = other;
        other = kept;
      }
    }
    assertThat(left).as("of 200 swings").isLessThan(10);
  }

  @Test
  void noiseOfEqualSnaptsMovesNobody() {
    SplittableRandom noise = new SplittableRandom(SEED);
    int left = 0;
    for (int i = 0; i < 100_000; i++) {
      left += step(40 + 8 * noise.nextDouble(), 40 + 8 * noise.nextDouble()) ? 1 : 0;
    }
    assertThat(left).as("seed %d", SEED).isZero();
  }
}
