package io.viaduct.host.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class ArrivalClockTest {
  private static final long MS = 1_000_000;
  private static final long EPOCH_NS = 1_800_000_000L * 1_000_000_000;

  private long nanoTime = 5_000_000_000L;
  private long wallAheadNs = EPOCH_NS;
  private long readingNs;
  private final ArrivalClock clock =
      new ArrivalClock(
          () -> {
            nanoTime += readingNs;
            long wall = nanoTime + wallAheadNs;
            return Instant.ofEpochSecond(wall / 1_000_000_000, wall % 1_000_000_000);
          },
          () -> nanoTime);

  /// Returns the measured wait of a datagram that came the given time ago.
  private long waited(long ns) {
    return clock.waitedNs(nanoTime + wallAheadNs - ns);
  }

  @Test
  void theWaitIsMeasuredFromTheKernelsStamp() {
    assertThat(waited(0)).isZero();
    assertThat(waited(7 * MS)).isEqualTo(7 * MS);
    nanoTime += 3 * MS;
    assertThat(waited(40 * MS)).isEqualTo(40 * MS);
  }

  @Test
  void withoutAStampNothingIsKnown() {
    assertThat(clock.waitedNs(0)).isZero();
  }

  @Test
  void aWallClockThatIsSetMisleadsForASecondAtMost() {
    assertThat(waited(0)).isZero();
    wallAheadNs -= 3_600_000 * MS;
    assertThat(waited(5 * MS)).as("set back by an hour").isZero();
    wallAheadNs += 2 * 3_600_000 * MS;
    assertThat(waited(5 * MS)).as("an hour ahead").isZero();
    nanoTime += ArrivalClock.MEASURE_INTERVAL_NS;
    assertThat(waited(5 * MS)).isEqualTo(5 * MS);
  }

  @Test
  void aLookDuringWhichTheThreadStoodStillIsNotBelieved() {
    readingNs = 30 * MS;
    assertThat(waited(5 * MS)).isZero();
    readingNs = 0;
    assertThat(waited(5 * MS)).isEqualTo(5 * MS);
    nanoTime += ArrivalClock.MEASURE_INTERVAL_NS;
    readingNs = 30 * MS;
    long stamp = nanoTime + wallAheadNs - 5 * MS;
    assertThat(clock.waitedNs(stamp)).as("by the former look").isEqualTo(35 * MS);
  }
}
