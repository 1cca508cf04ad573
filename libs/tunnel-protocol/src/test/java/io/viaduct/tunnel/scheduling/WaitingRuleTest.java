package io.viaduct.tunnel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WaitingRuleTest {
  private static final long MS = 1_000_000;
  private final TimerLateness lateness = new TimerLateness();
  private final WaitingRule rule = new WaitingRule(20 * MS, lateness);

  @Test
  void theFirstPacketDoesNotWait() {
    rule.arrival(0);
    assertThat(rule.shouldWait(1, 0, 0)).isFalse();
  }

  @Test
  void aSteadyFlowWaitsUpToTheDeadline() {
    for (int i = 0; i < 5; i++) {
      rule.arrival(i * 5 * MS);
    }
    assertThat(rule.shouldWait(1, 20 * MS, 20 * MS)).isTrue();
    assertThat(rule.shouldWait(2, 20 * MS, 36 * MS)).isTrue();
  }

  @Test
  void aCompoundLeavesWhenNoPacketIsExpectedBeforeTheDeadline() {
    for (int i = 0; i < 5; i++) {
      rule.arrival(i * 5 * MS);
    }
    assertThat(rule.shouldWait(1, 20 * MS, 20 * MS)).isTrue();
    assertThat(rule.shouldWait(2, 20 * MS, 38 * MS)).isFalse();
  }

  @Test
  void lateTimersShortenTheWait() {
    for (int i = 0; i < 20; i++) {
      lateness.fired(1_000_000);
    }
    assertThat(lateness.boundNs()).isBetween(MS, 2 * MS);
    assertThat(rule.patienceNs()).isEqualTo(20 * MS - lateness.boundNs());
    for (int i = 0; i < 5; i++) {
      rule.arrival(i * 19_500_000L);
    }
    assertThat(rule.shouldWait(1, 78 * MS, 78 * MS))
        .as("no packet is due in the time left")
        .isFalse();
  }

  @Test
  void aFlowSlowerThanTheDeadlineNeverWaits() {
    for (int i = 0; i < 5; i++) {
      rule.arrival(i * 50 * MS);
    }
    assertThat(rule.shouldWait(1, 200 * MS, 200 * MS)).isFalse();
  }

  @Test
  void fruitlessWaitsBackOffExponentially() {
    long nowNs = 0;
    int waits = 0;
    for (int i = 0; i < 1000; i++) {
      nowNs += 5 * MS;
      rule.arrival(nowNs);
      if (rule.shouldWait(1, nowNs, nowNs)) {
        waits++;
      }
      rule.closed(1);
    }
    assertThat(waits).isBetween(5, 12);
    rule.arrival(nowNs);
  }

  @Test
  void aFruitfulWaitEndsTheBackOff() {
    for (int i = 0; i < 3; i++) {
      rule.arrival(i * MS);
    }
    assertThat(rule.shouldWait(1, 2 * MS, 2 * MS)).isTrue();
    rule.closed(1);
    assertThat(rule.shouldWait(1, 3 * MS, 3 * MS)).isFalse();
    assertThat(rule.shouldWait(1, 4 * MS, 4 * MS)).isTrue();
    rule.closed(2);
    assertThat(rule.shouldWait(1, 5 * MS, 5 * MS)).isTrue();
  }
}
