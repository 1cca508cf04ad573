package io.viaduct.snapt.clock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ConfirmedClockTest {
  private static final long START_MS = 1_800_000_000_000L;
  private static final long HOUR_MS = 3_600_000;

  private long trueMs = START_MS;
  private long wallOffMs;
  private long bridgeOffMs;
  private final ConfirmedClock clock =
      new ConfirmedClock(
          () -> Instant.ofEpochMilli(trueMs + wallOffMs), () -> (trueMs - START_MS) * 1_000_000);

  private void pass(long ms) {
    trueMs += ms;
  }

  private void answer() {
    clock.onBridge(trueMs + bridgeOffMs);
  }

  @Test
  void itIsTheWallClockUntilTheBridgeTellsItsTime() {
    wallOffMs = HOUR_MS;
    clock.onBridge(0);
    assertThat(clock.millis()).isEqualTo(trueMs + HOUR_MS);
    assertThat(clock.aheadSeconds()).isNaN();
  }

  @Test
  void aWallClockThatIsSetByAnHourChangesNothingUntilItIsRightAgain() {
    answer();
    for (long off : new long[] {HOUR_MS, -HOUR_MS}) {
      wallOffMs = off;
      pass(1_000);
      assertThat(clock.millis()).isEqualTo(trueMs);
      answer();
      pass(60_000);
      answer();
      assertThat(clock.millis()).isEqualTo(trueMs);
      assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(trueMs));
      assertThat(clock.aheadSeconds()).isEqualTo(off / 1e3);
    }
    wallOffMs = 0;
    answer();
    assertThat(clock.millis()).isEqualTo(trueMs);
    assertThat(clock.aheadSeconds()).isZero();
  }

  @Test
  void aBridgeWhoseClockIsSetByAnHourChangesNothing() {
    answer();
    for (long off : new long[] {HOUR_MS, -HOUR_MS}) {
      bridgeOffMs = off;
      pass(60_000);
      answer();
      assertThat(clock.millis()).isEqualTo(trueMs);
      assertThat(clock.aheadSeconds()).isEqualTo(-off / 1e3);
    }
  }

  @Test
  void aWallClockThatWasWrongAtTheStartIsFollowedWhenItHasBecomeRight() {
    wallOffMs = -HOUR_MS;
    answer();
    pass(10_000);
    assertThat(clock.millis()).isEqualTo(trueMs - HOUR_MS);
    wallOffMs = 0; // set by NTP
    assertThat(clock.millis()).isEqualTo(trueMs - HOUR_MS);
    answer();
    assertThat(clock.millis()).isEqualTo(trueMs);
  }

  @Test
  void smallCorrectionsOfTheWallClockAreFollowed() {
    answer();
    wallOffMs = 400;
    pass(5_000);
    answer();
    assertThat(clock.millis()).isEqualTo(trueMs + 400);
  }
}
