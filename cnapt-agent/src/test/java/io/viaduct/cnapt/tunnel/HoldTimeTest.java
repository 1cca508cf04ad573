package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HoldTimeTest {
  private static final long MS = 1_000_000;

  @Test
  void aLinkThatWasNeverLeftIsUsedAtOnce() {
    HoldTime hold = new HoldTime(0);
    hold.found(10 * MS);
    assertThat(hold.usableNs()).isEqualTo(10 * MS);
  }

  @Test
  void aLinkThatFlapsOnceASecondIsNotUsedBetweenTheFlaps() {
    HoldTime hold = new HoldTime(0);
    hold.found(0);
    for (int flap = 1; flap <= 10; flap++) {
      hold.left(flap * 1000 * MS);
      hold.found((flap * 1000 + 500) * MS);
      assertThat(hold.usableNs())
          .as("flap %d", flap)
          .isGreaterThanOrEqualTo((flap + 1) * 1000 * MS);
    }
    assertThat(hold.usableNs()).isLessThanOrEqualTo(10_500 * MS + HoldTime.HOLD_NS_MAX);
  }

  @Test
  void aLinkThatStoodForHalfAMinuteHasTheShortestHoldTimeAgain() {
    HoldTime hold = new HoldTime(0);
    hold.left(0);
    hold.left(0);
    hold.found(0);
    long later = hold.usableNs() + HoldTime.FLAP_NS;
    hold.left(later);
    hold.found(later);
    assertThat(hold.usableNs()).isEqualTo(later + HoldTime.HOLD_NS_MIN);
  }

  @Test
  void anotherNetworkHasNoHistory() {
    HoldTime hold = new HoldTime(0);
    hold.left(0);
    hold.networkChanged(5 * MS);
    hold.found(6 * MS);
    assertThat(hold.usableNs()).isEqualTo(6 * MS);
  }
}
