package io.viaduct.tunnel.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.PathMessage;
import org.junit.jupiter.api.Test;

class ProbeExchangeTest {
  private final ProbeExchange probes = new ProbeExchange();
  private long nowUs = 1_000_000;

  private void roundTrip(int us) {
    PathMessage.Probe probe = probes.next(nowUs);
    nowUs += us;
    probes.answered(
        new PathMessage.ProbeReply(
            probe.number(), probe.t1Us(), nowUs, nowUs, PathMessage.NO_COUNT),
        nowUs);
  }

  @Test
  void theLeastRoundTripHasNoQueueAndIsForgottenWhenItIsOld() {
    assertThat(probes.leastRoundTripUs()).isNaN();
    roundTrip(20_000);
    for (int i = 0; i < 50; i++) {
      nowUs += 1_000_000;
      roundTrip(150_000);
    }
    assertThat(probes.smoothedRoundTripUs()).isGreaterThan(140_000);
    assertThat(probes.leastRoundTripUs()).isEqualTo(20_000);
    for (int i = 0; i < 120; i++) {
      nowUs += 1_000_000;
      roundTrip(150_000);
    }
    assertThat(probes.leastRoundTripUs()).isEqualTo(150_000);
    probes.forget();
    assertThat(probes.leastRoundTripUs()).isNaN();
  }
}
