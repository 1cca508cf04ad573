package io.viaduct.cnapt.policy;

import static io.viaduct.cnapt.policy.Paths.flow;
import static io.viaduct.cnapt.policy.Paths.ids;
import static io.viaduct.cnapt.policy.Paths.path;
import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.cnapt.policy.Decision.Mode;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlowPlacementTest {
  private static final long MBIT = 1_000_000;

  private long nowMs;

  private static SessionPlacements session(String... methods) {
    return new SessionPlacements(
        Policy.of(java.util.Arrays.stream(methods).map(Paths::rule).toList(), Paths.TABLE));
  }

  private Decision decide(FlowPlacement flow, long rate, PathSnapshot... paths) {
    return flow.decide(List.of(paths), nowMs * MBIT, rate, nowMs * MBIT);
  }

  private static PathSnapshot usable(int id, long kbit) {
    return path(id, PathState.USABLE, 20, kbit);
  }

  @Test
  void aBulkFlowIsSpreadOnlyWhileOnePathIsNotEnough() {
    FlowPlacement bulk =
        session("throughput then packet when full").place(flow("web", 6, "198.51.100.7", 443));
    assertThat(ids(decide(bulk, 0, usable(1, 10_000), usable(2, 8000)))).containsExactly(1);
    for (; nowMs < 2000; nowMs += 100) {
      Decision decision = decide(bulk, 9_500_000, usable(1, 500), usable(2, 8000));
      assertThat(decision.mode()).as("%d ms", nowMs).isEqualTo(Mode.ONE);
    }
    assertThat(decide(bulk, 9_500_000, usable(1, 500), usable(2, 8000)).mode())
        .isEqualTo(Mode.SPREAD);
    nowMs += 10_000;
    assertThat(decide(bulk, 18_000_000, usable(1, 0), usable(2, 0)).mode()).isEqualTo(Mode.SPREAD);
    decide(bulk, 2_000_000, usable(1, 9000), usable(2, 9000));
    nowMs += 4000;
    assertThat(decide(bulk, 2_000_000, usable(1, 9000), usable(2, 9000)).mode())
        .as("one path is enough again")
        .isEqualTo(Mode.ONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"own wlan0", "lowest-delay", "all"})
  void aFlowThatHoldsNoPathOfItsOwnIsSpreadToo(String method) {
    FlowPlacement bulk =
        session(method + " then packet when full").place(flow("web", 6, "198.51.100.7", 443));
    PathSnapshot[] full = {
      path(1, "wlan0", PathState.USABLE, 20, 500, 0),
      path(2, "wwan0", PathState.USABLE, 40, 8000, 0)
    };
    for (; nowMs < 2000; nowMs += 100) {
      assertThat(decide(bulk, 9_500_000, full).mode()).isNotEqualTo(Mode.SPREAD);
    }
    nowMs += 100;
    assertThat(decide(bulk, 9_500_000, full).mode()).isEqualTo(Mode.SPREAD);
  }

  @Test
  void aFlowWithTheCheapestPathKeepsItAlthoughItFillsIt() {
    FlowPlacement flow = session("cost").place(flow("web", 6, "198.51.100.7", 443));
    PathSnapshot dear = path(2, "wwan0", PathState.USABLE, 20, 9000, 1);
    assertThat(ids(decide(flow, 0, usable(1, 5000), dear))).containsExactly(1);
    for (; nowMs < 10_000; nowMs += 100) {
      assertThat(ids(decide(flow, 0, usable(1, 0), dear))).containsExactly(1);
    }
  }

  @Test
  void flowsThatFollowTheDelayMoveTogether() {
    SessionPlacements session = session();
    FlowPlacement one = session.place(flow("ssh", 6, "198.51.100.7", 22));
    assertThat(ids(decide(one, 0, path(1, PathState.USABLE, 90, 1), usable(2, 1))))
        .containsExactly(2);
    nowMs += 1000;
    FlowPlacement other = session.place(flow("default-udp", 17, "198.51.100.7", 9));
    PathSnapshot[] changed = {path(1, PathState.USABLE, 5, 1), usable(2, 1)};
    assertThat(ids(decide(other, 0, changed))).as("held for all flows").containsExactly(2);
    nowMs += 2000;
    assertThat(ids(decide(other, 0, changed))).containsExactly(1);
    assertThat(ids(decide(one, 0, changed))).containsExactly(1);
    assertThat(session.delayMoves()).isEqualTo(1);
  }

  @Test
  void aLaterStepAppliesToAnOlderFlow() {
    FlowPlacement flow =
        session("lowest-delay then all after 5 s").place(flow("ssh", 6, "198.51.100.7", 22));
    assertThat(decide(flow, 0, usable(1, 1), usable(2, 1)).mode()).isEqualTo(Mode.ONE);
    nowMs = 5000;
    assertThat(decide(flow, 0, usable(1, 1), usable(2, 1)).mode()).isEqualTo(Mode.COPIES);
  }
}
