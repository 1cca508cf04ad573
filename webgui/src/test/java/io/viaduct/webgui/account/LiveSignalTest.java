package io.viaduct.webgui.account;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.webgui.account.LiveSignal.Next;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LiveSignalTest {
  private static final Duration AT_ONCE = Duration.ZERO;
  private final LiveSignal signal = new LiveSignal();

  @Test
  void startsWithOneUpdate() throws InterruptedException {
    assertThat(signal.await(AT_ONCE)).isEqualTo(Next.UPDATE);
    assertThat(signal.await(AT_ONCE)).isEqualTo(Next.QUIET);
  }

  @Test
  void manyChangesAreOneUpdate() throws InterruptedException {
    for (int i = 0; i < 1000; i++) {
      signal.onChange();
    }
    assertThat(signal.await(AT_ONCE)).isEqualTo(Next.UPDATE);
    assertThat(signal.await(AT_ONCE)).isEqualTo(Next.QUIET);
  }

  @Test
  void changeWhileGatheringIsNotLost() throws InterruptedException {
    signal.await(AT_ONCE);
    signal.onChange();
    signal.gather(Duration.ofMillis(1));
    assertThat(signal.await(AT_ONCE)).isEqualTo(Next.UPDATE);
  }

  @Test
  void endComesBeforeChangesAndTheFirstEndingStands() throws InterruptedException {
    signal.onChange();
    signal.onEnd(Next.SESSION_ENDED);
    signal.onEnd(Next.DISCONNECTED);
    assertThat(signal.await(AT_ONCE)).isEqualTo(Next.SESSION_ENDED);
  }

  @Test
  void endInterruptsTheGathering() throws InterruptedException {
    Thread.ofVirtual().start(() -> signal.onEnd(Next.PAUSED));
    signal.gather(Duration.ofMinutes(5));
    assertThat(signal.await(AT_ONCE)).isEqualTo(Next.PAUSED);
  }
}
