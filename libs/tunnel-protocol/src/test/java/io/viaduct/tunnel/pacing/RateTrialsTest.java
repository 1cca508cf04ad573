package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class RateTrialsTest {
  private static final long MS = 1_000_000;
  private static final long ROUND_TRIP_NS = 50 * MS;

  private final RateTrials trials = new RateTrials();

  /// Lets a train leave, and the given number of its datagrams arrive until a time after it.
  private void train(int length, int arriving, long sentNs, long afterNs) {
    int run = trials.due(0, 1_500, sentNs);
    assertThat(TrainRun.length(run)).isEqualTo(length);
    for (int i = 0; i < arriving; i++) {
      trials.arrived(run, sentNs + afterNs);
    }
  }

  @Test
  void aTrainWithSevenEighthsOfItsAnswersEndsARoundTripAfterTheLastOfThem() {
    train(2, 2, 0, ROUND_TRIP_NS + MS);
    assertThat(trials.isOver(ROUND_TRIP_NS, ROUND_TRIP_NS + MS)).as("all have come").isTrue();
    trials.ended(ROUND_TRIP_NS, ROUND_TRIP_NS + MS);
    long sentNs = 1_000 * MS;
    long quorumNs = sentNs + ROUND_TRIP_NS + 4 * MS;
    train(8, 7, sentNs, ROUND_TRIP_NS + 4 * MS);
    assertThat(trials.isOver(ROUND_TRIP_NS, quorumNs + ROUND_TRIP_NS - 1)).isFalse();
    assertThat(trials.isOver(ROUND_TRIP_NS, quorumNs + ROUND_TRIP_NS)).isTrue();
    assertThat(trials.ended(ROUND_TRIP_NS, trials.arrivedNs()))
        .isCloseTo(7 * 1_500 / 0.006, Percentage.withPercentage(1));
    train(32, 28, 2_000 * MS, ROUND_TRIP_NS + 10 * MS);
    assertThat(trials.isOver(10_000 * MS, 5_001 * MS)).as("the time for answers is over").isTrue();
  }

  @Test
  void aTrainWithFewerAnswersIsLost() {
    train(2, 2, 0, ROUND_TRIP_NS);
    trials.ended(ROUND_TRIP_NS, ROUND_TRIP_NS);
    train(8, 6, 1_000 * MS, ROUND_TRIP_NS);
    assertThat(trials.isOver(ROUND_TRIP_NS, 5_000 * MS)).isFalse();
    assertThat(trials.ended(ROUND_TRIP_NS, 5_000 * MS)).isZero();
  }
}
