package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.ServiceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// A flow whose rule wants the most spare rate, on two links of 8 Mbit/s in each direction. The
/// first link is nearer.
class RateRouteTest {
  private static final long SEED = 31;
  private static final int PAYLOAD = 972;
  private static final int FIRST = 5_000;
  private static final int SECOND = 5_001;
  private static final int NEW = 5_002;

  private final SplittableRandom random = new SplittableRandom(SEED);

  private void send(PathsRig rig, boolean up, int port) {
    byte[] payload = new byte[PAYLOAD];
    random.nextBytes(payload);
    PacketForge.Endpoints ends = PacketForge.Endpoints.ipv4(port, 7, 53);
    rig.send(up ? rig.agent : rig.snapt, PacketForge.udp(up ? ends : ends.reversed(), payload));
  }

  private static FlowState flow(TunnelSession at, int port) {
    List<FlowState> found = new ArrayList<>();
    at.flows().forEach(found::add);
    return found.stream().filter(each -> each.devicePort() == port).findAny().orElseThrow();
  }

  /// Sends packets of 1000 bytes by each path: so many per second in each direction.
  private void load(
      PathsRig rig, int firstUp, int firstDown, int secondUp, int secondDown, int ms) {
    int[] perSecond = {firstUp, firstDown, secondUp, secondDown};
    double[] owed = new double[perSecond.length];
    for (int i = 0; i < ms; i++) {
      for (int each = 0; each < perSecond.length; each++) {
        for (owed[each] += perSecond[each] / 1000.0; owed[each] >= 1; owed[each]--) {
          send(rig, each % 2 == 0, each < 2 ? FIRST : SECOND);
        }
      }
      rig.advanceMs(1);
    }
  }

  private void fillBoth(PathsRig rig) {
    rig.links.forEach(link -> {
      link.bytesPerSecond = 1e6;
      link.queueNs = 200_000_000;
    });
    send(rig, true, FIRST);
    send(rig, true, SECOND);
    rig.agent.route(flow(rig.agent, FIRST), 0, rig.nowNs);
    rig.agent.route(flow(rig.agent, SECOND), 1, rig.nowNs);
    load(rig, 1_500, 1_500, 1_500, 1_500, 3_000);
    for (TunnelSession end : List.of(rig.agent, rig.snapt)) {
      assertThat(end.paths(rig.nowNs))
          .as("rates of both paths are known, seed %d", SEED)
          .allSatisfy(path -> assertThat(path.spareBitPerSecond()).isFinite());
    }
  }

  @Test
  void eachEndTakesThePathWithTheMostSpareRateInItsDirection() {
    try (PathsRig rig = PathsRig.opened(ServiceClass.HT_HD, Set.of(), SEED)) {
      fillBoth(rig);
      load(rig, 700, 50, 50, 700, 3_000);
      rig.serviceClass = ServiceClass.LT_HD;
      send(rig, true, NEW);
      load(rig, 700, 50, 50, 700, 200);
      rig.agent.route(flow(rig.agent, NEW), FlowRoute.MOST_SPARE, rig.nowNs);
      for (int i = 0; i < 10; i++) {
        send(rig, true, NEW);
        send(rig, false, NEW);
        load(rig, 700, 50, 50, 700, 50);
      }
      assertThat(flow(rig.snapt, NEW).route()).isEqualTo(FlowRoute.MOST_SPARE);
      assertThat(flow(rig.agent, NEW).path()).as("up, seed %d", SEED).isEqualTo(1);
      assertThat(flow(rig.snapt, NEW).path()).as("down, seed %d", SEED).isEqualTo(0);
    }
  }

  @Test
  void theRuleCountsForClassesOfLowDelayToo() {
    try (PathsRig rig = PathsRig.opened(ServiceClass.HT_HD, Set.of(), SEED)) {
      fillBoth(rig);
      load(rig, 700, 700, 50, 50, 3_000);
      rig.serviceClass = ServiceClass.LT_LD;
      send(rig, true, NEW);
      load(rig, 700, 700, 50, 50, 200);
      assertThat(flow(rig.agent, NEW).path()).as("the nearest").isEqualTo(0);
      rig.agent.route(flow(rig.agent, NEW), FlowRoute.MOST_SPARE, rig.nowNs);
      rig.use(0, PathUse.NO);
      send(rig, true, NEW);
      rig.use(0, PathUse.YES);
      send(rig, true, NEW);
      assertThat(flow(rig.agent, NEW).path()).as("it holds its path, not the nearest").isEqualTo(1);
    }
  }

  @Test
  void anEndOfTheVersionBeforeDoesNotGetTheRoute() {
    try (PathsRig rig = PathsRig.opened(ServiceClass.HT_HD, Set.of(Feature.RATE_ROUTES), SEED)) {
      assertThat(rig.agent.knows(FlowRoute.MOST_SPARE)).isFalse();
      send(rig, true, NEW);
      rig.agent.route(flow(rig.agent, NEW), FlowRoute.MOST_SPARE, rig.nowNs);
      assertThat(flow(rig.agent, NEW).route()).isEqualTo(FlowRoute.ANY);
    }
  }
}
