package io.viaduct.sip.useragent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProbeSamplesTest {
  private final ProbeSamples samples = new ProbeSamples();

  @Test
  void nothingIsKnownBeforeTheFirstAnswer() {
    samples.sent();
    SipRoundTrip none = samples.roundTrip(false);
    assertThat(none.sent()).isEqualTo(1);
    assertThat(none.lastMs()).isNull();
    assertThat(none.recentMs()).isNull();
    assertThat(none.usualMs()).isNull();
    assertThat(none.lossPercent()).isNull();
    assertThat(none.measuredMs()).isNull();
  }

  @Test
  void theRecentMeanFollowsAChangeFasterThanTheUsualOne() {
    for (int i = 0; i < 100; i++) {
      samples.answered(20, i);
    }
    for (int i = 0; i < 4; i++) {
      samples.answered(120, 200 + i);
    }
    SipRoundTrip changed = samples.roundTrip(false);
    assertThat(changed.lastMs()).isEqualTo(120);
    assertThat(changed.recentMs()).isCloseTo(20 + 100 * (1 - Math.pow(0.75, 4)), within(0.01));
    assertThat(changed.usualMs()).isCloseTo(20 + 100 * (1 - Math.pow(15.0 / 16, 4)), within(0.01));
    assertThat(changed.measuredMs()).isEqualTo(203);
  }

  @Test
  void aProbeWithoutAnAnswerRaisesTheLossAndLeavesTheRoundTrip() {
    samples.answered(20, 1);
    samples.lost();
    SipRoundTrip losing = samples.roundTrip(true);
    assertThat(losing.lossPercent()).isEqualTo(25);
    assertThat(losing.usualLossPercent()).isEqualTo(6.25);
    assertThat(losing.recentMs()).isEqualTo(20);
    assertThat(losing.measuredMs()).isEqualTo(1);
    assertThat(losing.isAlone()).isTrue();
  }

  @Test
  void aPaceThatWouldCostTooMuchIsRefused() {
    Duration alone = Duration.ofSeconds(30);
    assertThatThrownBy(() -> new ProbePace(Duration.ofSeconds(59), alone))
        .hasMessage("probe-interval must be 0s or at least 1m, got PT59S");
    assertThatThrownBy(() -> new ProbePace(Duration.ZERO, Duration.ofSeconds(4)))
        .hasMessage("outage-probe-interval must be at least 5s, got PT4S");
    assertThat(new ProbePace(Duration.ZERO, alone).besideTunnel()).isZero();
  }
}
