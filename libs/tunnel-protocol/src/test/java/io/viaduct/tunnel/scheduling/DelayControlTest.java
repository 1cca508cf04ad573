package io.viaduct.tunnel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.scheduling.DelayControl.Decision;
import org.junit.jupiter.api.Test;

class DelayControlTest {
  private static final long MS = 1_000_000;
  private final DelayControl control = new DelayControl(42, 0);
  private long nowNs;

  private int decisions(Decision wanted, int packets, long waitNs, boolean markable) {
    int count = 0;
    for (int i = 0; i < packets; i++) {
      nowNs += MS;
      count += control.arrival(waitNs, 100_000, markable, nowNs) == wanted ? 1 : 0;
    }
    return count;
  }

  @Test
  void aShortQueueAcceptsEveryPacket() {
    assertThat(decisions(Decision.TAKE, 10_000, 5 * MS, false)).isEqualTo(10_000);
  }

  @Test
  void aBurstIsAcceptedWhole() {
    assertThat(decisions(Decision.TAKE, 100, 80 * MS, false)).isEqualTo(100);
  }

  @Test
  void packetsOfAStandingQueueAreMarkedFirstAndDroppedIfThatDoesNotHelp() {
    assertThat(decisions(Decision.MARK, 2_000, 40 * MS, true)).isPositive();
    decisions(Decision.TAKE, 20_000, 40 * MS, true);
    assertThat(decisions(Decision.DROP, 1_000, 40 * MS, true)).isPositive();
  }

  @Test
  void packetsOfSendersWithoutEctAreDropped() {
    assertThat(decisions(Decision.MARK, 5_000, 40 * MS, false)).isZero();
    assertThat(decisions(Decision.DROP, 5_000, 40 * MS, false)).isPositive();
  }

  @Test
  void theProbabilityDecaysWhileTheQueueIsEmpty() {
    decisions(Decision.DROP, 5_000, 40 * MS, false);
    nowNs += 10_000 * MS;
    assertThat(decisions(Decision.TAKE, 100, 0, false)).isEqualTo(100);
  }
}
