package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A flow that a rule binds to the first of two links leaves by no other one, whatever happens to
/// its link, and another flow beside it is not hurt.
class BoundFlowTest {
  private static final long SEED = 37;
  private static final int PAYLOAD = 900;
  private static final int BOUND = 5_000;
  private static final int FREE = 5_001;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final long memoryBefore = LoopbackRig.UNTRACKED.metric().usedDirectMemory();
  private PathsRig rig;

  private void open(ServiceClass of) {
    rig = PathsRig.opened(of, Set.of(Feature.BOUND_ROUTES), SEED);
  }

  @AfterEach
  void everyBufferIsGivenBack() {
    rig.close();
    assertThat(LoopbackRig.UNTRACKED.metric().usedDirectMemory()).isEqualTo(memoryBefore);
  }

  private void send(int port) {
    byte[] payload = new byte[PAYLOAD];
    random.nextBytes(payload);
    rig.send(rig.agent, PacketForge.udp(PacketForge.Endpoints.ipv4(port, 7, 53), payload));
  }

  private void bind(int port, int route) {
    rig.agent
        .flows()
        .forEach((FlowState flow) -> {
          if (flow.devicePort() == port) {
            rig.agent.route(flow, route, rig.nowNs);
          }
        });
  }

  /// Returns the number of packets of a flow among these.
  private static long of(List<byte[]> packets, int port) {
    return packets.stream().filter(each -> sourcePort(each) == port).count();
  }

  private static int sourcePort(byte[] packet) {
    return (packet[20] & 0xFF) << 8 | packet[21] & 0xFF;
  }

  private void begin(ServiceClass of, int otherRoute) {
    open(of);
    send(BOUND);
    send(FREE);
    bind(BOUND, FlowRoute.bound(0));
    bind(FREE, otherRoute);
    rig.advanceMs(500);
  }

  @ParameterizedTest
  @EnumSource(ServiceClass.class)
  void whatWaitsForALinkThatGoesDownLeavesByNoOtherOne(ServiceClass of) {
    begin(of, FlowRoute.ANY);
    PathsRig.Link link = rig.links.getFirst();
    link.bytesPerSecond = 5e5;
    link.queueNs = 200_000_000;
    for (int i = 0; i < 3_000; i++) {
      send(BOUND);
      if (i % 10 == 0) {
        send(FREE);
      }
      rig.advanceMs(1);
    }
    long arrived = of(rig.atSnapt, BOUND);
    assertThat(arrived).isPositive();
    link.losesUp = true; // so what arrives from here on has taken the other link
    rig.atSnapt.clear();
    rig.use(0, PathUse.NO);
    rig.advanceMs(50);
    rig.atSnapt.clear(); // what was on its way
    send(FREE);
    rig.advanceMs(1_000);
    assertThat(of(rig.atSnapt, BOUND)).as("seed %d", SEED).isZero();
    assertThat(of(rig.atSnapt, FREE)).as("seed %d", SEED).isPositive();
    assertThat(rig.agent.verdicts().of(Verdict.NO_PATH)).as("seed %d", SEED).isPositive();
  }

  @ParameterizedTest
  @EnumSource(ServiceClass.class)
  void noCopyOfAnotherFlowTakesItAlong(ServiceClass of) {
    begin(of, FlowRoute.TWO_PATHS);
    rig.links.getFirst().losesUp = true;
    rig.atSnapt.clear();
    for (int i = 0; i < 200; i++) {
      rig.offer(rig.agent, small(BOUND));
      rig.offer(rig.agent, small(FREE));
      rig.agent.flushBatch(rig.nowNs);
      rig.drain();
      rig.advanceMs(5);
    }
    rig.advanceMs(500);
    assertThat(of(rig.atSnapt, BOUND)).as("seed %d", SEED).isZero();
    assertThat(of(rig.atSnapt, FREE)).as("seed %d", SEED).isEqualTo(200);
  }

  /// The link of the first path goes, and another one gets its number. The device's word about the
  /// flow is lost.
  @ParameterizedTest
  @EnumSource(ServiceClass.class)
  void theNumberOfItsPathUnderAnotherLinkCarriesNoPacketOfIt(ServiceClass of) {
    rig = PathsRig.opened(of, Set.of(), SEED);
    rig.agent.link(0, "wlan0");
    rig.agent.link(1, "eth0");
    rig.probeAll();
    rig.advanceMs(300);
    send(BOUND);
    send(FREE);
    bind(BOUND, FlowRoute.bound(0));
    rig.advanceMs(500);
    rig.agent.use(0, PathUse.NO, rig.nowNs);
    rig.agent.pathChanged(0);
    PathsRig.Link other = rig.links.getFirst();
    other.address = new InetSocketAddress("198.51.100.77", 40_000);
    other.losesDown = true; // what waits at the SNAPT waits until its new address is proved
    for (int i = 0; i < 5; i++) {
      rig.send(rig.snapt, down(BOUND));
    }
    rig.agent.link(0, "wwan0");
    rig.agent.probe(0, Carrier.UDP, rig.nowNs);
    other.losesDown = false;
    rig.drain();
    rig.advanceMs(300);
    rig.agent.use(0, PathUse.YES, rig.nowNs);
    rig.probeAll();
    rig.advanceMs(300);
    assertThat(rig.snapt.bindingOf(0)).isEqualTo(other.address);
    rig.atAgent.clear();
    for (int i = 0; i < 20; i++) {
      rig.send(rig.snapt, down(BOUND));
      rig.send(rig.snapt, down(FREE));
      rig.advanceMs(20);
    }
    rig.advanceMs(300);
    assertThat(rig.atAgent).as("of the other flow").hasSize(20);
    assertThat(rig.snapt.verdicts().of(Verdict.NO_PATH)).isGreaterThanOrEqualTo(20);
    bind(BOUND, FlowRoute.bound(1));
    rig.advanceMs(300);
    rig.send(rig.snapt, down(BOUND));
    rig.advanceMs(300);
    assertThat(rig.atAgent).as("the device has told its route").hasSize(21);
  }

  @Test
  void aLateRecordDoesNotBindItAgain() {
    rig = PathsRig.opened(ServiceClass.HT_HD, Set.of(), SEED);
    send(BOUND);
    rig.advanceMs(500);
    PathsRig.Link late = rig.links.get(1);
    late.delayNs = 2_000_000_000L;
    rig.use(0, PathUse.NO);
    bind(BOUND, FlowRoute.bound(0)); // travels by the slow link
    rig.advanceMs(50);
    late.delayNs = 30_000_000;
    bind(BOUND, FlowRoute.bound(1));
    rig.advanceMs(3_000);
    rig.snapt.flows().forEach(flow -> assertThat(flow.route()).isEqualTo(FlowRoute.bound(1)));
  }

  private static byte[] down(int port) {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(port, 7, 53).reversed(), new byte[60]);
  }

  private static byte[] small(int port) {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(port, 7, 53), new byte[60]);
  }

  @ParameterizedTest
  @EnumSource(ServiceClass.class)
  void itGoesOnWhenItsLinkIsBack(ServiceClass of) {
    whatWaitsForALinkThatGoesDownLeavesByNoOtherOne(of);
    rig.links.getFirst().losesUp = false;
    rig.agent.use(0, PathUse.YES, rig.nowNs);
    rig.probeAll();
    rig.advanceMs(500);
    rig.atSnapt.clear();
    for (int i = 0; i < 50; i++) {
      send(BOUND);
      send(FREE);
      rig.advanceMs(20);
    }
    rig.advanceMs(500);
    assertThat(of(rig.atSnapt, BOUND)).as("seed %d", SEED).isEqualTo(50);
    assertThat(of(rig.atSnapt, FREE)).as("seed %d", SEED).isEqualTo(50);
  }
}
