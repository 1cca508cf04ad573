package io.viaduct.cnapt.policy;

import static io.viaduct.cnapt.policy.PathState.DEAD;
import static io.viaduct.cnapt.policy.PathState.LOSING;
import static io.viaduct.cnapt.policy.PathState.SPARE;
import static io.viaduct.cnapt.policy.PathState.USABLE;
import static io.viaduct.cnapt.policy.Paths.path;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SteadyPathTest {
  private final SteadyPath steady = new SteadyPath();
  private long nowMs;

  private int choose(Criterion criterion, PathSnapshot... paths) {
    return steady
        .at(nowMs * 1_000_000)
        .choose(criterion, List.of(paths))
        .map(PathSnapshot::id)
        .orElse(-1);
  }

  private int byDelay(PathState one, long oneMs, PathState two, long twoMs) {
    return choose(Criterion.DELAY, path(1, one, oneMs, 0), path(2, two, twoMs, 0));
  }

  /// Shows the paths every 100 ms until the choice changes, and returns the time that it took.
  private long untilMoved(PathState one, long oneMs, PathState two, long twoMs) {
    long began = nowMs;
    int before = byDelay(one, oneMs, two, twoMs);
    while (byDelay(one, oneMs, two, twoMs) == before && nowMs - began < 200_000) {
      nowMs += 100;
    }
    return nowMs - began;
  }

  @Test
  void aBetterPathMustBeBetterByTheMarginForTheHoldTime() {
    assertThat(byDelay(USABLE, 40, USABLE, 50)).isEqualTo(1);
    assertThat(untilMoved(USABLE, 40, USABLE, 33)).as("17 %% is too little").isEqualTo(200_000);
    assertThat(untilMoved(USABLE, 40, USABLE, 32)).isEqualTo(2000);
    assertThat(untilMoved(USABLE, 1, USABLE, 5)).as("4 ms are too little").isEqualTo(200_000);
  }

  @Test
  void aPathThatIsBetterOnlyNowAndThenIsNotTaken() {
    byDelay(USABLE, 40, USABLE, 50);
    for (int i = 0; i < 100; i++) {
      nowMs += 1000;
      assertThat(byDelay(USABLE, 40, USABLE, 10)).isEqualTo(1);
      nowMs += 500;
      assertThat(byDelay(USABLE, 40, USABLE, 39)).isEqualTo(1);
    }
  }

  @Test
  void aLosingOrDeadPathIsLeftAtOnce() {
    assertThat(byDelay(USABLE, 10, USABLE, 90)).isEqualTo(1);
    assertThat(byDelay(LOSING, 10, USABLE, 90)).isEqualTo(2);
    assertThat(byDelay(USABLE, 10, DEAD, 90)).isEqualTo(1);
    assertThat(byDelay(DEAD, 10, LOSING, 90)).isEqualTo(2);
    assertThat(byDelay(DEAD, 10, DEAD, 90)).isEqualTo(-1);
    assertThat(byDelay(LOSING, 10, DEAD, 90)).isEqualTo(1);
  }

  @Test
  void theReturnTakesTwiceAsLongAfterEachFlapUpToAMinute() {
    byDelay(USABLE, 10, USABLE, 90);
    long[] expectedMs = {2000, 8000, 32_000, 60_000, 60_000};
    for (long expected : expectedMs) {
      assertThat(byDelay(LOSING, 10, USABLE, 90)).isEqualTo(2);
      assertThat(untilMoved(USABLE, 10, USABLE, 90)).isEqualTo(expected);
    }
    nowMs += 120_000;
    assertThat(byDelay(LOSING, 10, USABLE, 90)).isEqualTo(2);
    assertThat(untilMoved(USABLE, 10, USABLE, 90)).as("long after the last flap").isEqualTo(2000);
  }

  @Test
  void aSpareLinkIsTakenOnlyWhenNoOtherIsAliveAndLeftAfterTheHoldTime() {
    assertThat(byDelay(USABLE, 90, SPARE, 10)).isEqualTo(1);
    assertThat(byDelay(LOSING, 90, SPARE, 10)).isEqualTo(1);
    assertThat(byDelay(DEAD, 90, SPARE, 10)).isEqualTo(2);
    assertThat(untilMoved(LOSING, 90, SPARE, 10)).as("it works better").isEqualTo(200_000);
    assertThat(untilMoved(USABLE, 90, SPARE, 10)).isEqualTo(2000);
  }

  @Test
  void theRateMustBeAQuarterHigher() {
    PathSnapshot slow = path(1, USABLE, 10, 1000);
    assertThat(choose(Criterion.RATE, slow, path(2, USABLE, 10, 900))).isEqualTo(1);
    nowMs += 100_000;
    assertThat(choose(Criterion.RATE, slow, path(2, USABLE, 10, 1250))).isEqualTo(1);
    nowMs += 100_000;
    assertThat(choose(Criterion.RATE, slow, path(2, USABLE, 10, 1260))).isEqualTo(1);
    nowMs += 2000;
    assertThat(choose(Criterion.RATE, slow, path(2, USABLE, 10, 1260))).isEqualTo(2);
  }

  @Test
  void flowsThatShareALimitMoveOneAfterTheOther() {
    MoveLimit limit = MoveLimit.ofSession();
    List<SteadyPath> flows =
        List.of(new SteadyPath(limit), new SteadyPath(limit), new SteadyPath(limit));
    List<PathSnapshot> before = List.of(path(1, USABLE, 10, 1000), path(2, USABLE, 10, 10));
    List<PathSnapshot> after = List.of(path(1, USABLE, 10, 0), path(2, USABLE, 10, 5000));
    flows.forEach(flow -> flow.at(0).choose(Criterion.RATE, before));
    for (long ms = 1000; ms <= 3000; ms += 500) {
      for (SteadyPath flow : flows) {
        flow.at(ms * 1_000_000).choose(Criterion.RATE, after);
      }
    }
    assertThat(flows).extracting(SteadyPath::moves).containsExactly(1L, 0L, 0L);
    flows.get(1).at(3_500_000_000L).choose(Criterion.RATE, after);
    assertThat(flows.get(1).moves()).isEqualTo(1);
  }
}
