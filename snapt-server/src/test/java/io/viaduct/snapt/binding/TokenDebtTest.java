package io.viaduct.snapt.binding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenDebtTest {
  private static final long EXPIRES = 300_000;
  private static final long SLEPT_SINCE = EXPIRES - TokenDebt.ASLEEP_MS;

  private final TokenDebt debt = new TokenDebt();

  @Test
  void aDeviceThatIsAwakeHasNoGrace() {
    assertThat(debt.isOverdue(EXPIRES, EXPIRES, EXPIRES)).isTrue();
    assertThat(new TokenDebt().isOverdue(EXPIRES, SLEPT_SINCE + 1, EXPIRES)).isTrue();
  }

  @Test
  void aSleepingDeviceKeepsItsSession() {
    for (long now = EXPIRES; now < EXPIRES + 3_600_000; now += 10_000) {
      assertThat(debt.isOverdue(EXPIRES, SLEPT_SINCE, now)).isFalse();
    }
  }

  @Test
  void anAwakenedDeviceHasThirtySecondsHoweverLivelyItIs() {
    assertThat(debt.isOverdue(EXPIRES, SLEPT_SINCE, EXPIRES)).isFalse();
    long woken = EXPIRES + 600_000;
    assertThat(debt.isOverdue(EXPIRES, woken, woken)).isFalse();
    long last = woken + TokenDebt.GRACE_MS - 1;
    assertThat(debt.isOverdue(EXPIRES, last, last)).isFalse();
    assertThat(debt.isOverdue(EXPIRES, last, last + 1)).isTrue();
  }

  @Test
  void aNewTokenPaysTheDebt() {
    assertThat(debt.isOverdue(EXPIRES, SLEPT_SINCE, EXPIRES)).isFalse();
    assertThat(debt.isOverdue(EXPIRES, EXPIRES + 1, EXPIRES + 1)).isFalse();
    debt.paid();
    long next = 2 * EXPIRES;
    assertThat(debt.isOverdue(next, next, next)).as("awake at the next expiry").isTrue();
  }
}
