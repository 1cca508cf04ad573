package io.viaduct.tunnel.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathLossTest {
  private static final int PACKET = 1_200;
  private static final long MS = 1_000_000;

  /// Sends a packet per millisecond for some seconds; each is lost with a probability, and arrives
  /// after a delay that grows. A receipt is sent every 25 ms.
  private static PathLoss run(double lossRatio, int seconds, int delayMs, int growthMs, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    PathLoss loss = new PathLoss();
    int total = seconds * 1000;
    int[] arrivedUpTo = new int[total + 1];
    for (int i = 0; i < total; i++) {
      arrivedUpTo[i + 1] = arrivedUpTo[i] + (random.nextDouble() < lossRatio ? 0 : PACKET);
    }
    int clockOffsetUs = 123_456_789;
    for (int ms = 0; ms < total; ms++) {
      long nowNs = ms * MS;
      loss.sent((ms + 1L) * PACKET, nowNs);
      int delay = delayMs + growthMs * ms / total;
      int newest = ms - 2 * delay; // left then, arrived one delay later, the receipt one more
      if (ms % 25 == 0 && newest >= 0) {
        int receiverUs = (ms - delay) * 1000 + clockOffsetUs;
        int delayUs = delay * 1000 + clockOffsetUs;
        loss.receipt(receiverUs - delayUs, arrivedUpTo[newest + 1], true, nowNs);
      }
    }
    return loss;
  }

  @ParameterizedTest
  @CsvSource({"0, 20, 0", "0, 20, 200", "0.05, 20, 0", "0.2, 60, 0", "0.2, 20, 150", "1, 20, 0"})
  void theLossIsMeasuredWhateverTheDelayDoes(double ratio, int delayMs, int growthMs) {
    for (long seed = 1; seed <= 20; seed++) {
      PathLoss loss = run(ratio, 10, delayMs, growthMs, seed);
      assertThat(loss.recent(10_000 * MS)).as("seed %d", seed).isCloseTo(ratio, within(0.05));
      assertThat(loss.longTerm(10_000 * MS))
          .as("seed %d", seed)
          .isCloseTo(ratio, within(0.05)); // its first sample of 250 ms still counts
    }
  }

  @Test
  void aChangedPathHasNoLossBeforeItsFirstSample() {
    PathLoss loss = run(0.5, 5, 20, 0, 1);
    loss.reset();
    assertThat(loss.recent(5_000 * MS)).isZero();
    assertThat(loss.longTerm(5_000 * MS)).isZero();
  }

  @Test
  void aReceiptForATimeThatIsNoLongerKnownChangesNothing() {
    PathLoss loss = new PathLoss();
    loss.receipt(5, 1000, true, 0);
    for (int i = 0; i < 10_000; i++) {
      loss.sent(i * 1000L, i * 5 * MS);
    }
    loss.receipt(5, 1000, true, 50_000 * MS);
    assertThat(loss.recent(50_000 * MS)).isZero();
  }

  @Test
  void withoutNewSamplesTheLossFadesSoThatThePathIsTriedAgain() {
    PathLoss loss = run(0.2, 10, 20, 0, 7);
    double last = loss.recent(10_000 * MS);
    assertThat(loss.recent(11_500 * MS)).as("still fresh").isEqualTo(last);
    assertThat(loss.recent(17_000 * MS)).isCloseTo(last / 2, within(last / 20));
    assertThat(loss.recent(60_000 * MS)).isLessThan(0.001);
    assertThat(loss.longTerm(60_000 * MS)).isLessThan(0.001);
  }
}
