package io.viaduct.diameter.peer;

import static io.viaduct.diameter.peer.Watchdog.Action.ATTEMPT_OPEN;
import static io.viaduct.diameter.peer.Watchdog.Action.CLOSE_CONNECTION;
import static io.viaduct.diameter.peer.Watchdog.Action.FAIL_BACK;
import static io.viaduct.diameter.peer.Watchdog.Action.FAIL_OVER;
import static io.viaduct.diameter.peer.Watchdog.Action.SEND_WATCHDOG;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.diameter.peer.Watchdog.State;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WatchdogTest {
  private static final long TW_MS = 30_000;
  private static final long LATEST_MS = 32_001;
  private long now = 5_000;
  private final Watchdog watchdog = new Watchdog(TW_MS, new Random(7), now);

  private List<Watchdog.Action> after(long ms) {
    now += ms;
    return watchdog.tick(now);
  }

  @Test
  void aPeerThatAnswersStaysOkay() {
    watchdog.connected(now);
    for (int i = 0; i < 5; i++) {
      assertThat(after(27_999)).isEmpty();
      assertThat(after(4_002)).containsExactly(SEND_WATCHDOG);
      assertThat(watchdog.received(true, now)).isEmpty();
    }
    assertThat(watchdog.state()).isEqualTo(State.OKAY);
  }

  @Test
  void trafficTakesThePlaceOfWatchdogs() {
    watchdog.connected(now);
    for (int i = 0; i < 5; i++) {
      assertThat(after(20_000)).isEmpty();
      watchdog.received(false, now);
    }
  }

  @Test
  void aSilentPeerIsSuspectThenDown() {
    watchdog.connected(now);
    assertThat(after(LATEST_MS)).containsExactly(SEND_WATCHDOG);
    assertThat(after(LATEST_MS)).containsExactly(FAIL_OVER);
    assertThat(watchdog.state()).isEqualTo(State.SUSPECT);
    assertThat(after(LATEST_MS)).containsExactly(CLOSE_CONNECTION, FAIL_OVER);
    assertThat(watchdog.state()).isEqualTo(State.DOWN);
    assertThat(after(LATEST_MS)).containsExactly(ATTEMPT_OPEN);
  }

  @Test
  void aSuspectPeerThatSendsAnythingIsOkayAgain() {
    watchdog.connected(now);
    after(LATEST_MS);
    after(LATEST_MS);
    assertThat(watchdog.received(false, now)).containsExactly(FAIL_BACK);
    assertThat(watchdog.state()).isEqualTo(State.OKAY);
  }

  @Test
  void aPeerThatCameBackIsUsedAfterThreeAnswers() {
    watchdog.connected(now);
    assertThat(watchdog.disconnected(now)).containsExactly(FAIL_OVER);
    assertThat(watchdog.connected(now)).containsExactly(SEND_WATCHDOG);
    assertThat(watchdog.received(true, now)).isEmpty();
    assertThat(watchdog.received(false, now)).isEmpty();
    assertThat(after(LATEST_MS)).containsExactly(SEND_WATCHDOG);
    assertThat(watchdog.received(true, now)).isEmpty();
    assertThat(watchdog.state()).isEqualTo(State.REOPEN);
    assertThat(after(LATEST_MS)).containsExactly(SEND_WATCHDOG);
    assertThat(watchdog.received(true, now)).containsExactly(FAIL_BACK);
    assertThat(watchdog.state()).isEqualTo(State.OKAY);
  }

  @Test
  void aPeerThatCameBackAndIsSilentForTwoIntervalsIsDown() {
    watchdog.connected(now);
    watchdog.disconnected(now);
    watchdog.connected(now);
    assertThat(after(LATEST_MS)).isEmpty();
    assertThat(after(LATEST_MS)).containsExactly(CLOSE_CONNECTION, FAIL_OVER);
    assertThat(watchdog.state()).isEqualTo(State.DOWN);
  }

  @Test
  void aPeerThatWasNeverConnectedIsTriedAtEachInterval() {
    assertThat(after(LATEST_MS)).containsExactly(ATTEMPT_OPEN);
    assertThat(after(LATEST_MS)).containsExactly(ATTEMPT_OPEN);
    assertThat(watchdog.disconnected(now)).isEmpty();
    assertThat(watchdog.state()).isEqualTo(State.INITIAL);
  }
}
