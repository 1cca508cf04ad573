package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A flow whose rule has chosen a path, which then leads nowhere: until the device tells another
/// one, both ends send by the paths that work. A rule that binds the flow to its path drops.
class RoutedFlowTest {
  private static final long SEED = 41;
  private static final int PORT = 5_000;
  private static final int PACKETS = 20;

  private PathsRig rig;

  @AfterEach
  void close() {
    rig.close();
  }

  /// Opens a flow with this route, and takes its path away: both ends know it.
  private void lose(ServiceClass of, int route) {
    rig = PathsRig.opened(of, Set.of(), SEED);
    rig.send(rig.agent, up());
    rig.agent.flows().forEach((FlowState flow) -> rig.agent.route(flow, route, rig.nowNs));
    rig.send(rig.agent, up());
    rig.advanceMs(500);
    rig.use(0, PathUse.NO);
    rig.links.getFirst().losesUp = true;
    rig.links.getFirst().losesDown = true;
    rig.advanceMs(100);
    rig.atAgent.clear();
    rig.atSnapt.clear();
  }

  private static byte[] up() {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(PORT, 7, 53), new byte[60]);
  }

  private static byte[] down() {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(PORT, 7, 53).reversed(), new byte[60]);
  }

  private void exchange() {
    for (int i = 0; i < PACKETS; i++) {
      rig.send(rig.snapt, down());
      rig.send(rig.agent, up());
      rig.advanceMs(20);
    }
    rig.advanceMs(500);
  }

  @ParameterizedTest
  @EnumSource(ServiceClass.class)
  void bothEndsSendByAPathThatWorks(ServiceClass of) {
    lose(of, 0);
    exchange();
    assertThat(rig.atAgent).as("download").hasSize(PACKETS);
    assertThat(rig.atSnapt).as("upload").hasSize(PACKETS);
    assertThat(rig.snapt.verdicts().of(Verdict.NO_PATH)).isZero();
    rig.agent
        .flows()
        .forEach(flow ->
            assertThat(rig.agent.reasonOf(flow, rig.nowNs).kind()).isEqualTo(PathReason.Kind.ONLY));
  }

  @ParameterizedTest
  @EnumSource(ServiceClass.class)
  void theRouteCountsAgainWhenItsPathIsBack(ServiceClass of) {
    lose(of, 0);
    exchange();
    rig.links.getFirst().losesUp = false;
    rig.links.getFirst().losesDown = false;
    rig.agent.use(0, PathUse.YES, rig.nowNs);
    rig.probeAll();
    rig.advanceMs(500);
    long before = rig.agent.offeredBytes(0);
    long beforeDown = rig.snapt.offeredBytes(0);
    exchange();
    assertThat(rig.agent.offeredBytes(0) - before).isEqualTo((long) PACKETS * up().length);
    assertThat(rig.snapt.offeredBytes(0) - beforeDown).isEqualTo((long) PACKETS * down().length);
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 248})
  void aRouteOverAPathThatTheHandshakeHasNotAllowedIsCountedAndIgnored(int route) {
    rig = new PathsRig(2, 10, 30);
    rig.openAll();
    rig.send(rig.agent, up());
    rig.advanceMs(200);
    rig.agent.flows().forEach(flow -> rig.agent.route(flow, route, rig.nowNs));
    rig.advanceMs(200);
    assertThat(rig.snapt.verdicts().of(Verdict.PATH_UNKNOWN)).isEqualTo(1);
    rig.send(rig.snapt, down());
    rig.advanceMs(200);
    assertThat(rig.atAgent).hasSize(1);
    assertThat(rig.snapt.verdicts().of(Verdict.NO_PATH)).isZero();
  }

  /// Without COPIES, RESEQUENCING, RATE_ROUTES or BOUND_ROUTES, and with two paths.
  @ParameterizedTest
  @CsvSource({
    "0, true",
    "1, true",
    "2, false",
    "239, false",
    "240, false",
    "249, false",
    "250, false",
    "251, false",
    "252, false",
    "253, false",
    "254, true",
    "255, true"
  })
  void whatTheHandshakeHasNotAgreedOnIsNoRoute(int route, boolean isAllowed) {
    rig = new PathsRig(2, 10);
    assertThat(new TunnelLimits(1500, 0, 2, Set.of()).allows(route)).isEqualTo(isAllowed);
    boolean isPath = route < 240 ? route < 2 : route < 242;
    assertThat(new TunnelLimits(1500, 0, 2, TunnelLimits.FEATURES).allows(route))
        .isEqualTo(isPath || route >= 250);
  }

  @ParameterizedTest
  @EnumSource(ServiceClass.class)
  void aBoundFlowHasNoOtherPath(ServiceClass of) {
    lose(of, FlowRoute.bound(0));
    exchange();
    assertThat(rig.atAgent).isEmpty();
    assertThat(rig.atSnapt).isEmpty();
    assertThat(rig.snapt.verdicts().of(Verdict.NO_PATH)).isEqualTo(PACKETS);
  }
}
