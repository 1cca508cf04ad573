package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Superpackets of TCP, as the kernel gives them with segmentation offload, on two links
/// (docs/protocol.md section 4.5). Nothing is sent again by TCP here: a missing segment stays
/// missing.
class SuperpacketCopiesTest {
  private static final long SEED = 19;
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_000, 7, 443);
  private static final int SEGMENT_BYTES = 1_200;
  private static final int SEGMENTS = 10;
  private static final int PAYLOAD_BYTES = SEGMENT_BYTES * SEGMENTS;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private PathsRig rig;
  private int sequence;

  @AfterEach
  void close() {
    rig.close();
  }

  private void open(ServiceClass of) {
    rig = PathsRig.opened(of, Set.of(), SEED);
    talk(1);
    rig.advanceMs(200);
    talk(20); // until both ends know the headers, and the rates of the paths
    rig.advanceMs(500);
  }

  private byte[] superpacket(PacketForge.Endpoints to) {
    byte[] payload = new byte[PAYLOAD_BYTES];
    random.nextBytes(payload);
    byte[] packet = PacketForge.tcp(to, sequence, PacketForge.ACK, payload);
    return PacketForge.checksum(packet, 1);
  }

  /// Sends superpackets at both ends, one per 10 ms.
  private void talk(int superpackets) {
    for (int i = 0; i < superpackets; i++) {
      for (TunnelSession end : List.of(rig.agent, rig.snapt)) {
        byte[] packet = superpacket(end == rig.agent ? FLOW : FLOW.reversed());
        assertThat(rig.sendSuperpacket(end, packet, SEGMENT_BYTES)).isEqualTo(Verdict.QUEUED);
      }
      sequence += PAYLOAD_BYTES;
      rig.advanceMs(10);
    }
  }

  private void clear() {
    rig.captured.clear();
    rig.atSnapt.clear();
    rig.atAgent.clear();
    sequence = 0;
    for (PathsRig.Link each : rig.links) {
      each.bytesUp = 0;
      each.bytesDown = 0;
    }
  }

  private void route(int route) {
    rig.agent.flows().forEach(flow -> rig.agent.route(flow, route, rig.nowNs));
    rig.advanceMs(200);
    clear();
  }

  private void nothingIsMissing(int superpackets) {
    List<Integer> all =
        IntStream.range(0, superpackets * SEGMENTS).map(i -> i * SEGMENT_BYTES).boxed().toList();
    for (List<byte[]> arrived : List.of(rig.atSnapt, rig.atAgent)) {
      assertThat(arrived)
          .as("seed %d", SEED)
          .extracting(packet -> BigEndian.getInt(packet, PacketForge.headerBytes(packet) + 4))
          .containsExactlyInAnyOrderElementsOf(all);
    }
  }

  private long fragments() {
    return rig.captured.stream()
        .filter(each -> (each[0] >>> 4 & 3) == DatagramHeader.TYPE_FRAGMENT)
        .count();
  }

  @Test
  void withoutASecondPathASuperpacketIsSealedAsOne() {
    open(ServiceClass.HT_HD);
    clear();
    talk(20);
    rig.advanceMs(500);
    assertThat(fragments()).isPositive();
    nothingIsMissing(20);
  }

  @Test
  void eachByteOfAFlowOnTwoPathsLeavesByBoth() {
    open(ServiceClass.HT_HD);
    route(FlowRoute.TWO_PATHS);
    talk(20);
    rig.advanceMs(500);
    for (PathsRig.Link each : rig.links) {
      assertThat(each.bytesUp).isGreaterThan(20 * PAYLOAD_BYTES);
      assertThat(each.bytesDown).isGreaterThan(20 * PAYLOAD_BYTES);
    }
    assertThat(fragments()).isZero();
    nothingIsMissing(20);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void theCutOfEitherLinkTakesNothingOfAFlowOnTwoPathsWithIt(int cut) {
    open(ServiceClass.HT_HD);
    route(FlowRoute.TWO_PATHS);
    talk(10);
    rig.links.get(cut).losesUp = true;
    rig.links.get(cut).losesDown = true;
    talk(10);
    rig.advanceMs(500);
    nothingIsMissing(20);
  }

  @ParameterizedTest
  @EnumSource(names = {"LT_LD", "HT_LD"})
  void aLinkThatIsLostTakesNothingOfALowDelayClassWithIt(ServiceClass of) {
    open(of);
    clear();
    talk(10);
    rig.links.getFirst().losesUp = true;
    rig.links.getFirst().losesDown = true;
    talk(5);
    rig.use(0, PathUse.NO);
    talk(10);
    rig.advanceMs(1_000);
    nothingIsMissing(25);
  }
}
