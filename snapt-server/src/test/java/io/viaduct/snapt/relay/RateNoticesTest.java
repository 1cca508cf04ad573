package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.control.v1.PathRate;
import java.util.List;
import org.junit.jupiter.api.Test;

class RateNoticesTest {
  private static final double UNLIMITED = Double.POSITIVE_INFINITY;
  private static final int[] EMPTY = new int[4];

  private final RateNotices notices = new RateNotices();
  private long nowNs = 1;

  private LineRate afterMs(long ms, double bitPerSecond, int... queued) {
    nowNs += ms * 1_000_000;
    return notices.due(bitPerSecond, queued, List.of(), nowNs);
  }

  private LineRate pathsAfterMs(long ms, PathRate... paths) {
    nowNs += ms * 1_000_000;
    return notices.due(UNLIMITED, EMPTY, List.of(paths), nowNs);
  }

  private static PathRate neverFull(int path) {
    return PathRate.newBuilder().setPath(path).build();
  }

  private static PathRate spare(int path, long bitPerSecond) {
    return PathRate.newBuilder().setPath(path).setSpareBitPerSecond(bitPerSecond).build();
  }

  @Test
  void aLineThatIsNeverFullIsNeverTold() {
    for (int i = 0; i < 100; i++) {
      assertThat(afterMs(500, UNLIMITED, EMPTY)).isNull();
    }
  }

  @Test
  void theFirstRateIsToldAtOnceAndFurtherOnesAtChangesOfAFifth() {
    assertThat(afterMs(500, 10e6, EMPTY).getBitPerSecond()).isEqualTo(10_000_000);
    assertThat(afterMs(5_000, 11.9e6, EMPTY)).isNull();
    assertThat(afterMs(5_000, 8.1e6, EMPTY)).isNull();
    assertThat(afterMs(500, 12e6, EMPTY).getBitPerSecond()).isEqualTo(12_000_000);
  }

  @Test
  void nothingIsToldWithinASecond() {
    afterMs(500, 10e6, EMPTY);
    assertThat(afterMs(500, 1e6, EMPTY)).isNull();
    assertThat(afterMs(500, 1e6, EMPTY).getBitPerSecond()).isEqualTo(1_000_000);
  }

  @Test
  void queuesAreToldByClassWhenTheyChangeByMuch() {
    afterMs(500, 10e6, EMPTY);
    assertThat(afterMs(2_000, 10e6, 0, 0, 0, 10_000)).as("a short queue").isNull();
    assertThat(afterMs(2_000, 10e6, 0, 0, 0, 100_000).getQueuedBytesList())
        .containsExactly(0L, 0L, 0L, 100_000L);
    assertThat(afterMs(2_000, 10e6, 0, 0, 0, 118_000)).as("less than a fifth").isNull();
    assertThat(afterMs(2_000, 10e6, EMPTY).getQueuedBytesList()).containsOnly(0L);
  }

  @Test
  void theEndOfALimitIsToldOnce() {
    afterMs(500, 10e6, EMPTY);
    assertThat(afterMs(1_000, UNLIMITED, EMPTY).getBitPerSecond()).isZero();
    assertThat(afterMs(5_000, UNLIMITED, EMPTY)).isNull();
    assertThat(afterMs(500, 5e6, EMPTY).getBitPerSecond()).isEqualTo(5_000_000);
  }

  @Test
  void aDeviceThatConnectsAgainIsToldThePresentStateOnceAlsoThatThereIsNoLimit() {
    notices.connected();
    assertThat(afterMs(500, UNLIMITED, EMPTY)).as("it knows of none").isNull();
    afterMs(500, 10e6, EMPTY);
    notices.connected();
    assertThat(afterMs(500, 10e6, EMPTY).getBitPerSecond()).isEqualTo(10_000_000);
    assertThat(afterMs(2_000, 10e6, EMPTY)).isNull();
    assertThat(afterMs(2_000, UNLIMITED, EMPTY).getBitPerSecond()).isZero();
    notices.connected();
    assertThat(afterMs(500, UNLIMITED, EMPTY).getBitPerSecond()).isZero();
    assertThat(afterMs(500, UNLIMITED, EMPTY)).isNull();
  }

  @Test
  void pathsThatWereNeverFullAreNeverTold() {
    assertThat(pathsAfterMs(500, neverFull(0), neverFull(1))).isNull();
    assertThat(pathsAfterMs(5_000, neverFull(0), neverFull(1))).isNull();
  }

  @Test
  void theSpareRatesOfPathsAreToldAtChangesOfAFifthWithoutALimitOfTheLine() {
    LineRate first = pathsAfterMs(500, spare(0, 8_000_000), neverFull(1));
    assertThat(first.getPathsList()).containsExactly(spare(0, 8_000_000), neverFull(1));
    assertThat(first.getBitPerSecond()).as("the line has no limit").isZero();
    assertThat(pathsAfterMs(2_000, spare(0, 9_500_000), neverFull(1))).as("less").isNull();
    assertThat(pathsAfterMs(500, spare(0, 0), neverFull(1))).isNotNull();
    assertThat(pathsAfterMs(500, spare(0, 8_000_000), neverFull(1))).as("too early").isNull();
    assertThat(pathsAfterMs(500, spare(0, 8_000_000), neverFull(1))).isNotNull();
    assertThat(pathsAfterMs(2_000, neverFull(0), neverFull(1))).as("it has changed").isNotNull();
    assertThat(pathsAfterMs(2_000, spare(0, 900_000), neverFull(1))).isNotNull();
    assertThat(pathsAfterMs(2_000, spare(0, 100_000), neverFull(1))).as("a slow one").isNull();
    assertThat(
            pathsAfterMs(2_000, spare(0, 100_000), neverFull(1).toBuilder().setBad(true).build()))
        .as("a path that loses")
        .isNotNull();
  }
}
