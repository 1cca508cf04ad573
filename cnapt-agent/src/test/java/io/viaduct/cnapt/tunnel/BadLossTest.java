package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BadLossTest {
  private static final long SECOND_NS = 1_000_000_000;

  private final BadLoss loss = new BadLoss();
  private long nowNs = 7;

  /// Takes measurements, one per second. @return whether the path loses badly after the last one
  private boolean bad(double... ratios) {
    for (double each : ratios) {
      nowNs += SECOND_NS;
      loss.measured(each, nowNs);
    }
    return loss.isBad();
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
  void aMeasurementThatNothingRenewsCountsForAMinuteOnly() {
    assertThat(bad(0.2, 0.3, 0.2, 0.3)).isTrue();
    for (int second = 1; second < 60; second++) {
      assertThat(bad(0.3)).as("after %d s", second).isTrue();
    }
    assertThat(bad(0.3, 0.3)).as("the old one decides nothing").isFalse();
    assertThat(bad(0.2, 0.3, 0.2)).isTrue();
  }

  @Test
  void anotherNetworkHasNoHistory() {
    assertThat(bad(0.2, 0.3, 0.2)).isTrue();
    loss.reset();
    assertThat(loss.isBad()).isFalse();
  }
}
