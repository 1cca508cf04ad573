package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProbeWatchdogTest {
  private static final long MS = 1_000_000;
  private static final long SILENCE_NS = 2_000 * MS;
  private static final long START_NS = 7_000_000_000L;

  private final ProbeWatchdog watchdog = new ProbeWatchdog(SILENCE_NS, START_NS);

  @Test
  void aPathWithoutAnyProbeHasNoWatchdog() {
    assertThat(watchdog.takeSilence(START_NS + 100 * SILENCE_NS)).isFalse();
    assertThat(watchdog.isKnown()).isFalse();
    assertThat(watchdog.dueNs(START_NS)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void itFiresOnceWhenTheProbesStopAndNotWhileTheyCome() {
    for (int i = 0; i < 20; i++) {
      assertThat(watchdog.probed(START_NS + i * 500 * MS)).isEqualTo(i == 0);
      assertThat(watchdog.takeSilence(START_NS + i * 500 * MS + 499 * MS)).isFalse();
    }
    long last = START_NS + 19 * 500 * MS;
    assertThat(watchdog.dueNs(last)).isEqualTo(last + SILENCE_NS);
    assertThat(watchdog.takeSilence(last + SILENCE_NS - 1)).isFalse();
    assertThat(watchdog.isReady(last + SILENCE_NS - 1)).isTrue();
    assertThat(watchdog.takeSilence(last + SILENCE_NS)).isTrue();
    assertThat(watchdog.takeSilence(last + 2 * SILENCE_NS)).as("once").isFalse();
    assertThat(watchdog.isReady(last + SILENCE_NS)).isFalse();
  }

  @Test
  void aPathWhoseProbesComeAgainIsHeldForHalfASecond() {
    watchdog.probed(START_NS);
    assertThat(watchdog.takeSilence(START_NS + SILENCE_NS)).isTrue();
    long back = START_NS + 3 * SILENCE_NS;
    assertThat(watchdog.probed(back)).isTrue();
    assertThat(watchdog.isReady(back + 499 * MS)).isFalse();
    assertThat(watchdog.heldMs(back)).isEqualTo(500);
    assertThat(watchdog.dueNs(back)).as("its end is a deadline").isEqualTo(back + 500 * MS);
    assertThat(watchdog.isReady(back + 500 * MS)).isTrue();
  }

  @Test
  void aLookThatComesLateGivesTheProbesInTheSocketAMomentToBeRead() {
    watchdog.probed(START_NS);
    long late = START_NS + SILENCE_NS + 300 * MS;
    assertThat(watchdog.takeSilence(late)).as("this process was late itself").isFalse();
    assertThat(watchdog.dueNs(late)).isEqualTo(late + 10 * MS);
    assertThat(watchdog.takeSilence(late + 10 * MS)).as("and nothing was in the socket").isTrue();
    watchdog.probed(late + 20 * MS);
    assertThat(watchdog.takeSilence(late + 20 * MS + SILENCE_NS + 11 * MS)).isFalse();
    assertThat(watchdog.probed(late + 21 * MS + SILENCE_NS + 11 * MS)).as("it was").isFalse();
  }
}
