package io.viaduct.cnapt.mobility;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SleepWatchTest {
  private final SleepWatch watch = new SleepWatch(1_000, 0);

  @Test
  void ticksInTheirPeriodAndAPauseOfABusyMachineAreNoSleep() {
    assertThat(watch.tick(1_500, 500_000_000)).isZero();
    assertThat(watch.tick(6_499, 5_499_000_000L)).isZero();
  }

  @Test
  void aFrozenProcessSeesBothClocksJumpAndTellsItOnce() {
    assertThat(watch.tick(41_000, 40_000_000_000L)).isEqualTo(40_000);
    assertThat(watch.tick(41_500, 40_500_000_000L)).isZero();
  }

  @Test
  void aSuspendedMachineSeesOnlyTheWallClockJump() {
    assertThat(watch.tick(601_000, 500_000_000)).isEqualTo(600_000);
  }

  @Test
  void aWallClockThatIsSetBackHidesNoSleep() {
    assertThat(watch.tick(0, 40_000_000_000L)).isEqualTo(40_000);
  }
}
