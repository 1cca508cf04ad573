package io.viaduct.cnapt.signalling;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ForwardClockTest {
  private static final long START_MS = 1_800_000_000_000L;
  private static final long HOUR_MS = 3_600_000;

  private long wallMs = START_MS;
  private long ns;
  private final ForwardClock clock = new ForwardClock(() -> Instant.ofEpochMilli(wallMs), () -> ns);

  private void pass(long ms) {
    wallMs += ms;
    ns += ms * 1_000_000;
  }

  @Test
  void aStepBackIsNotFollowedAndTimeGoesOn() {
    pass(500);
    wallMs -= HOUR_MS;
    assertThat(clock.millis()).isEqualTo(START_MS + 500);
    pass(60_000);
    assertThat(clock.millis()).isEqualTo(START_MS + 60_500);
    assertThat(clock.instant()).isEqualTo(Instant.ofEpochMilli(START_MS + 60_500));
  }

  @Test
  void aSleepIsFollowed() {
    wallMs += HOUR_MS; // the monotonic clock stands meanwhile
    assertThat(clock.millis()).isEqualTo(START_MS + HOUR_MS);
  }

  @Test
  void aStepAheadThatIsTakenBackLeavesTheTimeAhead() {
    wallMs += HOUR_MS;
    assertThat(clock.millis()).isEqualTo(START_MS + HOUR_MS);
    wallMs -= HOUR_MS;
    pass(1_000);
    assertThat(clock.millis()).isEqualTo(START_MS + HOUR_MS + 1_000);
  }
}
