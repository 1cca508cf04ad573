package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.path.LossEstimate;
import io.viaduct.tunnel.path.LossSample;
import org.junit.jupiter.api.Test;

class BadLossTest {
  private static final long SECOND_NS = 1_000_000_000;
  private static final int BYTES = 100_000; // per second

  private final BadLoss loss = new BadLoss();
  private long nowNs = 7;

  /// Takes measurements, one per second. @return whether the path loses badly after the last one
  private boolean bad(double... ratios) {
    for (double each : ratios) {
      nowNs += SECOND_NS;
      loss.measured(new LossSample(each, nowNs), nowNs);
    }
    return loss.isBad();
  }

  /// Lets seconds pass in which nothing is measured, until the path is no longer bad.
  ///
  /// @return their number
  private int untried(LossSample last) {
    int seconds = 0;
    while (loss.isBad()) {
      seconds++;
      nowNs += SECOND_NS;
      loss.measured(last, nowNs);
    }
    return seconds;
  }

  private int untried() {
    return untried(new LossSample(0.2, nowNs));
  }

  @Test
  void aPathLosesBadlyIfTwoSecondsShowTenPercentUntilFiveShowLessThanFive() {
    assertThat(bad(0.1, 0.3)).isFalse();
    assertThat(bad(0.2)).isTrue();
    assertThat(bad(0.04, 0.03, 0.04, 0.03, 0.04)).isTrue();
    assertThat(bad(0.03)).isFalse();
  }

  @Test
  void oneMeasurementBetweenTheLimitsBeginsAnew() {
    assertThat(bad(0.3, 0.2, 0.09, 0.3, 0.2)).isFalse();
    assertThat(bad(0.3)).isTrue();
    assertThat(bad(0.04, 0.03, 0.04, 0.03, 0.06, 0.03, 0.04)).isTrue();
  }

  @Test
  void oneMeasurementThatIsReadAgainIsOne() {
    nowNs += SECOND_NS;
    LossSample once = new LossSample(0.3, nowNs);
    for (int second = 0; second < 10; second++) {
      loss.measured(once, nowNs + second * SECOND_NS);
    }
    assertThat(loss.isBad()).isFalse();
  }

  @Test
  void fewMeasurementsOfAnIdlePathHealNothing() {
    bad(0.2, 0.3, 0.2);
    for (int i = 0; i < 4; i++) {
      nowNs += 30 * SECOND_NS;
      assertThat(bad(0)).as("measurement %d in 31 s each", i + 1).isTrue();
    }
    assertThat(bad(0)).isFalse();
  }

  @Test
  void whatTheEstimatorForgetsHealsNothingForAMinute() {
    LossEstimate estimate = new LossEstimate();
    int sent = 0;
    int arrived = 0;
    while (!loss.isBad()) {
      nowNs += SECOND_NS;
      sent += BYTES;
      arrived += BYTES * 8 / 10;
      estimate.counts(sent, arrived, nowNs);
      loss.measured(estimate.newest(), nowNs);
    }
    LossSample last = estimate.newest();
    assertThat(untried(last)).isEqualTo(60);
    assertThat(estimate.recent(nowNs)).as("it has faded long before").isLessThan(0.001);
  }

  @Test
  void aPathThatStillLosesIsTriedAfterOneTwoFourAndThenAlwaysEightMinutes() {
    for (int minutes : new int[] {1, 2, 4, 8, 8, 8}) {
      assertThat(bad(0.2, 0.3, 0.2)).isTrue();
      assertThat(loss.untriedNs(nowNs)).isEqualTo(minutes * 60 * SECOND_NS);
      assertThat(untried()).isEqualTo(minutes * 60);
    }
  }

  @Test
  void aPathThatWasGoodForHalfAMinuteAfterItsTrialIsTriedAfterAMinuteAgain() {
    bad(0.2, 0.3, 0.2);
    untried();
    bad(0.2, 0.3, 0.2);
    assertThat(untried()).isEqualTo(120);
    for (int second = 0; second < 31; second++) {
      bad(0.01);
    }
    assertThat(bad(0.2, 0.3, 0.2)).isTrue();
    assertThat(untried()).isEqualTo(60);
  }

  @Test
  void anotherNetworkHasNoHistory() {
    bad(0.2, 0.3, 0.2);
    untried();
    assertThat(bad(0.2, 0.3, 0.2)).isTrue();
    loss.reset();
    assertThat(loss.isBad()).isFalse();
    assertThat(bad(0.2, 0.3, 0.2)).isTrue();
    assertThat(untried()).isEqualTo(60);
  }
}
