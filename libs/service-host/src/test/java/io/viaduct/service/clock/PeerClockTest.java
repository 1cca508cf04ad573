package io.viaduct.service.clock;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.service.logging.CapturedLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerClockTest {
  private static final long NOW_MS = 1_800_000_000_000L;
  private static final long HOUR_MS = 3_600_000;

  private final CapturedLog log = CapturedLog.of(PeerClock.class.getName());
  private final PeerClock clock = new PeerClock("the bridge");

  @AfterEach
  void close() {
    log.close();
  }

  @Test
  void aDifferenceIsShownAndSaidOnceUntilItIsGone() {
    assertThat(clock.aheadSeconds()).isNaN();
    assertThat(clock.told(NOW_MS, NOW_MS + 30_000)).isTrue();
    assertThat(log.lines("")).isEmpty();
    assertThat(clock.told(NOW_MS, NOW_MS + HOUR_MS)).isFalse();
    assertThat(clock.told(NOW_MS, NOW_MS - HOUR_MS)).isFalse();
    assertThat(clock.aheadSeconds()).isEqualTo(-3600);
    assertThat(clock.told(NOW_MS, NOW_MS)).isTrue();
    assertThat(clock.told(NOW_MS, NOW_MS)).isTrue();
    assertThat(log.lines("")).hasSize(2);
    assertThat(log.lines("").getFirst()).contains("3600.0 s ahead of that of the bridge");
    assertThat(log.lines("").getLast()).contains("agrees with that of the bridge again");
  }

  @Test
  void aClockThatIsBehindIsSaidToBe() {
    assertThat(clock.told(NOW_MS, NOW_MS - 30_001)).isFalse();
    assertThat(log.lines(""))
        .singleElement()
        .asString()
        .contains("30.0 s behind that of the bridge");
  }
}
