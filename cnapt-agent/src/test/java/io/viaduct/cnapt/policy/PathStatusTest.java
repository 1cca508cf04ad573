package io.viaduct.cnapt.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.path.ProbeCounts;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The paths of a status as the rules see them.
class PathStatusTest {
  private static PathStatus path(int id, String use, Double countedDelayMs) {
    return new PathStatus(
        id,
        "",
        "link" + id,
        "203.0.113.1",
        "usable",
        use,
        "it answers",
        1000,
        10.0,
        10.0,
        countedDelayMs,
        0.5,
        5.0,
        0,
        0,
        0,
        1500,
        0,
        3_000_000,
        0,
        0,
        false,
        TowardsHere.NEVER_FULL,
        ProbeCounts.NONE);
  }

  @Test
  void aPathThatNoPacketMayLeaveByIsNoChoice() {
    assertThat(path(0, "no", 10.0).snapshot().isAlive()).isFalse();
    assertThat(path(0, "yes", 10.0).snapshot().isAlive()).isTrue();
    assertThat(path(0, "spare", 10.0).snapshot().isAlive()).isTrue();
  }

  @Test
  void theDelayThatCountsIsThatOfTheTunnelWhichContainsTheLoss() {
    List<PathSnapshot> paths =
        List.of(path(0, "yes", 60.0).snapshot(), path(1, "yes", 40.0).snapshot());
    assertThat(PathPreference.OF_THE_MOMENT.choose(Criterion.DELAY, paths).orElseThrow().id())
        .isEqualTo(1);
  }

  @Test
  void ofPathsThatWereNeverFullTheNearestCountsAsTheOneWithTheMostRate() {
    List<PathSnapshot> paths =
        List.of(
            new PathSnapshot(0, "a", PathState.USABLE, 60_000_000, PathStatus.UNKNOWN_RATE, 0),
            new PathSnapshot(1, "b", PathState.USABLE, 20_000_000, PathStatus.UNKNOWN_RATE, 0));
    assertThat(PathPreference.OF_THE_MOMENT.choose(Criterion.RATE, paths).orElseThrow().id())
        .isEqualTo(1);
  }
}
