package io.viaduct.tunnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayWindowTest {
  private static final long DATAGRAM_BITS = 1428 * 8;

  private final ReplayWindow window = new ReplayWindow();
  private long sequence;
  private long nowNs = 1;

  // Only even sequences arrive; the odd ones are on the slow path.
  private void run(long bitPerSecond, long ns) {
    double step = 1e9 * DATAGRAM_BITS / bitPerSecond;
    long from = nowNs;
    for (double at = from; at < from + ns; at += step) {
      nowNs = (long) at;
      if ((sequence & 1) == 0) {
        window.mark(sequence);
        window.fit(nowNs);
      }
      sequence++;
    }
  }

  private Verdict lateBy(long bitPerSecond, double seconds) {
    long late = window.highest() - (long) (seconds * bitPerSecond / DATAGRAM_BITS) | 1;
    return window.check(late);
  }

  @ParameterizedTest
  @CsvSource({
    "100_000_000, 1.5",
    "700_000_000, 0.25",
    "5_000_000_000, 0.25",
    "11_000_000_000, 0.25"
  })
  void aPathThatIsSlowerByAQuarterOfASecondLosesNothing(long bitPerSecond, double seconds) {
    run(bitPerSecond, 2_000_000_000);
    assertThat(lateBy(bitPerSecond, seconds)).isEqualTo(Verdict.ACCEPTED);
  }

  @Test
  void beyondTheWidestWindowADatagramIsTooOld() {
    long bitPerSecond = 24_000_000_000L;
    run(bitPerSecond, 1_000_000_000);
    assertThat(window.sequences()).isEqualTo(ReplayWindow.SEQUENCES_MAX);
    long edge = window.highest() - ReplayWindow.SEQUENCES_MAX;
    assertThat(window.check(edge)).isEqualTo(Verdict.TOO_OLD);
    assertThat(window.check(edge + 1)).isNotEqualTo(Verdict.TOO_OLD);
    assertThat(lateBy(bitPerSecond, 0.12)).isEqualTo(Verdict.ACCEPTED);
    assertThat(lateBy(bitPerSecond, 0.13)).isEqualTo(Verdict.TOO_OLD);
  }

  @Test
  void aSessionThatIsIdleAfterFastTrafficHoldsTheLeastWindowAgain() {
    run(11_000_000_000L, 1_000_000_000);
    assertThat(window.sequences()).isEqualTo(ReplayWindow.SEQUENCES_MAX);
    for (int probe = 0; probe < 4; probe++) {
      nowNs += 25_000_000_000L;
      window.mark(++sequence);
      window.fit(nowNs);
    }
    assertThat(window.sequences()).isEqualTo(ReplayWindow.SEQUENCES_MIN);
  }

  @Test
  void aLeapOfTheSequenceDoesNotMakeItGrow() {
    for (int i = 0; i < 100; i++) {
      nowNs += 200_000_000;
      sequence += 1L << 30;
      window.mark(sequence);
      window.fit(nowNs);
    }
    assertThat(window.sequences()).isEqualTo(ReplayWindow.SEQUENCES_MIN);
  }
}
