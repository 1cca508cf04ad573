package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Tests what a session knows about its path: how long flows waited for it, and what it could have
/// carried beside its load. The path carries 8 Mbit/s.
class PathWaitTest {
  private static final long MS = 1_000_000;
  private static final Endpoints BULK = Endpoints.ipv4(5000, 7, 80);
  private static final Endpoints CHAT = Endpoints.ipv4(5001, 8, 5222);

  private final LoopbackRig rig = new LoopbackRig(TestSettings.of(Pacing.of("8000000")));
  private final Random random = new Random(3);

  @AfterEach
  void close() {
    rig.close();
  }

  private byte[] packet(Endpoints from, int bytes) {
    byte[] payload = new byte[bytes];
    random.nextBytes(payload);
    return PacketForge.udp(from.reversed(), payload);
  }

  private FlowState open(Endpoints of) {
    rig.open(PacketForge.udp(of, new byte[] {1}));
    rig.advance(100 * MS); // until its compound has left
    return rig.atSnapt.getLast().flow();
  }

  @Test
  void aFlowWaitsWhileThePathTakesNoMore() {
    FlowState bulk = open(BULK);
    FlowState chat = open(CHAT);
    rig.snapt.startSpare(rig.nowNs);
    long chatBefore = rig.snapt.waitedNs(chat, rig.nowNs);
    for (int i = 0; i < 100; i++) {
      rig.offer(rig.snapt, packet(BULK, 900)); // 100 ms at the rate of the path, at least
    }
    rig.advance(200 * MS);
    assertThat(rig.snapt.waitedNs(bulk, rig.nowNs) / MS).isBetween(70L, 130L);
    assertThat(rig.snapt.waitedNs(chat, rig.nowNs)).isEqualTo(chatBefore);
    assertThat(rig.snapt.spareBytesToPeer(rig.nowNs))
        .as("the other half of 200 ms")
        .isCloseTo(100_000, within(30_000.0));
  }

  @Test
  void aFlowThatWaitsOnlyForItsCompoundDoesNotWaitForThePath() {
    FlowState chat = open(CHAT);
    long before = rig.snapt.waitedNs(chat, rig.nowNs);
    for (int i = 0; i < 20; i++) {
      rig.offer(rig.snapt, packet(CHAT, 60));
      rig.advance(50 * MS);
    }
    assertThat(rig.snapt.waitedNs(chat, rig.nowNs) - before).isLessThan(25 * MS);
  }

  @Test
  void theSnaptKnowsTheWaitAtTheDeviceAndMeasuresWhatArrives() {
    rig.open(PacketForge.udp(BULK, new byte[] {1}));
    rig.advance(100 * MS);
    FlowState bulk = rig.atSnapt.getLast().flow();
    rig.snapt.startSpare(rig.nowNs);
    for (int i = 0; i < 200; i++) {
      byte[] payload = new byte[900];
      random.nextBytes(payload);
      rig.offer(rig.agent, PacketForge.udp(BULK, payload)); // 200 ms at the rate of the path
    }
    rig.advance(3_000 * MS); // until the last counters have come
    assertThat(bulk.peerWaitedUs() / 1000).isBetween(150L, 260L);
    assertThat(rig.snapt.spareBytesFromPeer(rig.nowNs) / 1_000_000)
        .as("what 8 Mbit/s carry in the 2.8 s that are left of 3 s")
        .isCloseTo(2.8, within(0.3));
    assertThat(rig.agent.spareBytesFromPeer(rig.nowNs)).as("only a SNAPT measures it").isZero();
  }

  @Test
  void withoutALimitNothingIsKnownBeforeThePathHasDelivered() {
    var unlimited = new LoopbackRig(TestSettings.of(Pacing.AUTO));
    unlimited.advance(500 * MS);
    assertThat(unlimited.snapt.spareBytesToPeer(unlimited.nowNs)).isZero();
    unlimited.close();
  }
}
