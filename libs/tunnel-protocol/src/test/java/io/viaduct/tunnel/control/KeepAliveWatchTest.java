package io.viaduct.tunnel.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.KeepAliveWatch.Decision;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeepAliveWatchTest {
  private static final long PERIOD_MS = 10_000;
  private final KeepAliveWatch watch = new KeepAliveWatch(PERIOD_MS);
  private long nowMs;
  private long heardMs;
  private boolean idle;

  private List<Decision> periods(int count) {
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nowMs += PERIOD_MS;
      decisions.add(watch.ask(nowMs - heardMs, idle));
    }
    return decisions;
  }

  @Test
  void aPeerHeardInTimeIsSentNoKeepAlive() {
    for (int i = 0; i < 100; i++) {
      heardMs = nowMs;
      assertThat(periods(2)).containsOnly(Decision.REST);
    }
  }

  @Test
  void aSilentPeerIsAskedThreeTimesAndThenLost() {
    assertThat(periods(6))
        .containsExactly(
            Decision.REST,
            Decision.REST,
            Decision.SEND,
            Decision.SEND,
            Decision.SEND,
            Decision.LOST);
  }

  @Test
  void aPeerThatNothingIsExpectedOfIsAskedLaterAndTrafficEndsThePatience() {
    idle = true;
    assertThat(periods(17)).containsOnly(Decision.REST);
    assertThat(periods(1)).containsExactly(Decision.SEND);
    heardMs = nowMs;
    assertThat(periods(5)).containsOnly(Decision.REST);
    idle = false;
    assertThat(periods(4))
        .containsExactly(Decision.SEND, Decision.SEND, Decision.SEND, Decision.LOST);
  }

  @Test
  void anyAnswerStopsTheKeepAlivesForThreePeriods() {
    periods(5);
    heardMs = nowMs;
    assertThat(periods(5))
        .containsExactly(Decision.REST, Decision.REST, Decision.SEND, Decision.SEND, Decision.SEND);
  }
}
