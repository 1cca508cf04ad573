package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PacketSeriesTest {
  /// Arrivals every 10 from 0 to 100, then from 175 to 300.
  private static final PacketSeries INTERRUPTED =
      arrivals(
          LongStream.concat(
                  LongStream.rangeClosed(0, 10).map(i -> i * 10),
                  LongStream.rangeClosed(0, 5).map(i -> 175 + i * 25))
              .toArray());

  private static PacketSeries arrivals(long... arrivedNs) {
    return new PacketSeries(new long[0], new int[arrivedNs.length], arrivedNs);
  }

  private static PacketSeries numbered(int sent, int[] numbers, long... arrivedNs) {
    return new PacketSeries(
        LongStream.range(0, sent).map(i -> i * 10).toArray(), numbers, arrivedNs);
  }

  @Test
  void theSilenceOfAnEventIsWholeAlsoIfItBeganBefore() {
    assertThat(INTERRUPTED.silenceNs(105, 300)).isEqualTo(75);
    assertThat(INTERRUPTED.silenceNs(95, 300)).isEqualTo(75);
  }

  @Test
  void theSteadySilenceIsTakenOffTheOutage() {
    assertThat(INTERRUPTED.outageNs(50, 105, 300)).isEqualTo(75 - 10);
  }

  @Test
  void anOutageIsNeverLessThanNothing() {
    assertThat(INTERRUPTED.outageNs(0, 260, 300)).isZero();
  }

  @Test
  void aSilenceUntilTheEndCountsUpToTheEnd() {
    assertThat(arrivals(0, 10, 20).outageNs(5, 20, 1_000)).isEqualTo(980 - 10);
    assertThat(arrivals().silenceNs(20, 1_000)).isEqualTo(980);
  }

  @Test
  void arrivalsBehindTheEndOfTheWindowDoNotCount() {
    assertThat(INTERRUPTED.silenceNs(105, 150)).isEqualTo(50);
  }

  @Test
  void aPacketIsLostIfNoCopyOfItArrives() {
    PacketSeries series = numbered(6, new int[] {0, 2, 2, 5}, 5, 25, 26, 55);
    assertThat(series.lost(0, 100)).isEqualTo(3);
    assertThat(series.lost(20, 50)).as("sent at 20, 30, 40").isEqualTo(2);
    assertThat(series.duplicated()).isEqualTo(1);
  }

  @Test
  void reorderingIsTheTimeAfterTheFirstPacketWithAHigherNumber() {
    assertThat(numbered(5, new int[] {0, 3, 4, 1, 2}, 1, 10, 20, 30, 45).reorderingNs())
        .isEqualTo(35);
    assertThat(numbered(3, new int[] {0, 1, 2}, 1, 2, 3).reorderingNs()).isZero();
  }

  @Test
  void aCopyIsNoReordering() {
    assertThat(numbered(3, new int[] {0, 1, 2, 0}, 1, 2, 3, 99).reorderingNs()).isZero();
  }
}
