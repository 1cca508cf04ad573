package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BadLossTest {
  private static final long SECOND_NS = 1_000_000_000;

  private final BadLoss loss = new BadLoss();
  private long nowNs = 7;

  private boolean bad(double ratio) {
    nowNs += SECOND_NS;
    loss.measured(ratio, nowNs);
    return loss.isBad();
  }

  @Test
  void aPathLosesBadlyFromTenPercentUntilItIsLessThanFive() {
    assertThat(bad(0.099)).isFalse();
    assertThat(bad(0.1)).isTrue();
    assertThat(bad(0.05)).isTrue();
    assertThat(bad(0.049)).isFalse();
    assertThat(bad(0.09)).as("hysteresis").isFalse();
  }

  @Test
  void aMeasurementThatNothingRenewsCountsForAMinuteOnly() {
    assertThat(bad(0.3)).isTrue();
    for (int second = 1; second < 60; second++) {
      assertThat(bad(0.3)).as("after %d s", second).isTrue();
    }
    assertThat(bad(0.3)).isFalse();
    assertThat(bad(0.3)).as("until the next one").isFalse();
    assertThat(bad(0.29)).isTrue();
  }

  @Test
  void anotherNetworkHasNoHistory() {
    assertThat(bad(0.3)).isTrue();
    loss.reset();
    assertThat(loss.isBad()).isFalse();
    assertThat(bad(0)).isFalse();
  }
}
