package io.viaduct.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.testbed.report.Verdict;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GoalTest {
  private static final Row RATE = Row.more("rate", "rate", "Gbit/s", 2);
  private static final Row TIME = Row.less("time", "time", "µs", 0);

  private static Samples medians(Row row, double direct, double ours, double slow, double fast) {
    var roles = new LinkedHashMap<String, Role>();
    roles.put(DirectPeer.NAME, Role.DIRECT);
    roles.put(ViaductPeer.NAME, Role.OURS);
    roles.put("a", Role.PEER);
    roles.put("b", Role.PEER);
    roles.put("bound", Role.BOUND);
    var samples = new Samples(roles);
    samples.add(row, DirectPeer.NAME, direct);
    samples.add(row, ViaductPeer.NAME, ours);
    samples.add(row, "a", slow);
    samples.add(row, "b", fast);
    samples.add(row, "bound", row.sense() == Row.Sense.MORE ? 1000 : 0);
    return samples;
  }

  @Test
  void theBestPeerIsTheBestTunnelAndNeverTheBound() {
    assertThat(medians(RATE, 20, 6, 1, 2).bestPeer(RATE)).contains("b");
    assertThat(medians(TIME, 20, 6, 2, 1).bestPeer(TIME)).contains("b");
  }

  @Test
  void threeTimesTheBestPeerWinsAGoalOfThree() {
    Goal goal = new Goal.OfBest(3);
    assertThat(goal.judge(RATE, medians(RATE, 20, 6, 1, 2)).won()).isTrue();
    assertThat(goal.judge(RATE, medians(RATE, 20, 5.9, 1, 2)).won()).isFalse();
  }

  @Test
  void theAdditionIsComparedWithTheBestPeersAddition() {
    Goal goal = new Goal.AddedOfBest(0.9);
    Verdict verdict = goal.judge(TIME, medians(TIME, 76, 94, 129, 97));
    assertThat(verdict.reached()).isEqualTo(18.0 / 21.0);
    assertThat(verdict.won()).isTrue();
  }

  @Test
  void aGoalAgainstAPeerThatWasNotMeasuredIsNotWon() {
    Verdict verdict = new Goal.Of("absent", 0.5).judge(RATE, medians(RATE, 20, 6, 1, 2));
    assertThat(verdict.won()).isFalse();
    assertThat(verdict).hasToString("≥ 0.5 × absent: not measured");
  }

  @Test
  void theMedianOfAnEvenNumberOfRoundsIsBetweenTheTwoInTheMiddle() {
    var samples = new Samples(Map.of());
    for (double value : new double[] {9, 1, 4, 2}) {
      samples.add(RATE, "a", value);
    }
    assertThat(samples.median(RATE, "a")).isEqualTo(3);
  }
}
