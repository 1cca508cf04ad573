package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Datagrams that travel by two paths (docs/protocol.md section 4.5).
class CopiesTest {
  private static final long SEED = 77;
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_000, 7, 53);
  private PathsRig rig = PathsRig.opened(ServiceClass.LT_LD, Set.of(), SEED);
  private int number;

  @AfterEach
  void close() {
    rig.close();
  }

  /// Sends packets at both ends, one per 10 ms.
  private void talk(int packets) {
    for (int i = 0; i < packets; i++) {
      byte[] payload = new byte[100];
      BigEndian.putInt(payload, 0, number++);
      rig.send(rig.agent, PacketForge.udp(FLOW, payload));
      rig.send(rig.snapt, PacketForge.udp(FLOW.reversed(), payload));
      rig.advanceMs(10);
    }
  }

  private void route(int route) {
    talk(1);
    rig.agent.flows().forEach(flow -> rig.agent.route(flow, route, rig.nowNs));
    rig.advanceMs(200);
    rig.atSnapt.clear();
    rig.atAgent.clear();
    rig.captured.clear();
  }

  private static long distinct(List<byte[]> packets) {
    return packets.stream()
        .map(each -> BigEndian.getInt(each, PacketForge.payloadAt(each)))
        .distinct()
        .count();
  }

  /// Returns the datagrams that have left more than once, each as often as it has.
  private List<byte[]> copied() {
    Map<ByteBuffer, Long> times = times(rig.captured);
    return rig.captured.stream().filter(each -> times.get(ByteBuffer.wrap(each)) > 1).toList();
  }

  private static Map<ByteBuffer, Long> times(List<byte[]> datagrams) {
    return datagrams.stream()
        .collect(Collectors.groupingBy(ByteBuffer::wrap, Collectors.counting()));
  }

  @Test
  void aFlowOnTwoPathsLosesOnlyWhatBothOfThemLose() {
    route(FlowRoute.TWO_PATHS);
    rig.links.forEach(link -> link.lossRatio = 0.1);
    talk(10_000);
    rig.advanceMs(1_000);
    for (List<byte[]> arrived : List.of(rig.atSnapt, rig.atAgent)) {
      assertThat(distinct(arrived)).as("seed %d", SEED).isEqualTo(arrived.size());
      // A hundredth, with 3.5 standard deviations of 10,000 packets.
      assertThat(1 - arrived.size() / 10_000.0).as("seed %d", SEED).isBetween(0.0065, 0.0135);
    }
  }

  @Test
  void bothCopiesAreTheSameBytesAndTheSecondHasAVerdictOfItsOwn() {
    route(FlowRoute.TWO_PATHS);
    talk(100);
    rig.advanceMs(1_000);
    assertThat(times(copied()))
        .hasSizeBetween(80, 200)
        .allSatisfy((_, count) -> assertThat(count).isEqualTo(2))
        .allSatisfy((datagram, _) ->
            assertThat(datagram.get(0) >>> 4 & 3).isEqualTo(DatagramHeader.TYPE_COPIED));
    assertThat(rig.snapt.verdicts().of(Verdict.COPY)).isGreaterThan(40);
    assertThat(rig.snapt.verdicts().of(Verdict.REPLAYED)).isZero();
    assertThat(rig.agent.verdicts().of(Verdict.REPLAYED)).isZero();
  }

  @Test
  void aThirdCopyIsAReplayAndAForgedSecondOneChangesNothing() {
    route(FlowRoute.TWO_PATHS);
    rig.links.getLast().losesUp = true; // so the second copies are still missing
    talk(10);
    rig.advanceMs(500);
    byte[] first = copied().getFirst();
    byte[] forged = first.clone();
    forged[forged.length - 1] ^= 1;
    var from = rig.links.getLast().address;
    assertThat(rig.receiveAtSnapt(forged, from)).isEqualTo(Verdict.BAD_TAG);
    assertThat(rig.receiveAtSnapt(first, from)).isEqualTo(Verdict.COPY);
    assertThat(rig.receiveAtSnapt(first, from)).isEqualTo(Verdict.REPLAYED);
  }

  @Test
  void aReplayOfADatagramThatLeftOnceIsNoSignOfLifeAndNoArrival() {
    talk(10); // with two paths each datagram of the class is of type COPIED, and leaves once
    rig.advanceMs(100);
    rig.snapt.startSpare(rig.nowNs);
    List<byte[]> once =
        rig.captured.stream()
            .filter(each -> (each[0] >>> 4 & 3) == DatagramHeader.TYPE_COPIED)
            .toList();
    var nearest = rig.links.getFirst().address;
    var stranger = new InetSocketAddress("203.0.113.66", 666);
    long copies = 0;
    for (int i = 0; i < once.size(); i++) {
      Verdict verdict = rig.receiveAtSnapt(once.get(i), i % 2 == 0 ? nearest : stranger);
      copies += verdict == Verdict.COPY ? 1 : 0;
      assertThat(verdict.isSignOfLife()).isFalse();
    }
    assertThat(copies).isGreaterThan(5);
    assertThat(rig.snapt.arrivedInInterval()).isZero();
  }

  @Test
  void aSecondCopyByTheOtherPathCountsAsCarriedByIt() {
    route(FlowRoute.TWO_PATHS);
    rig.links.getLast().losesUp = true;
    talk(10);
    rig.advanceMs(500);
    rig.snapt.startSpare(rig.nowNs);
    byte[] first = copied().getFirst();
    assertThat(rig.receiveAtSnapt(first, rig.links.getLast().address)).isEqualTo(Verdict.COPY);
    assertThat(rig.snapt.arrivedInInterval()).isGreaterThan(first.length);
  }

  @Test
  void aLowDelayFlowTravelsTwiceOnlyWhileItsPathLoses() {
    talk(500);
    assertThat(copied()).isEmpty();
    rig.links.forEach(link -> link.lossRatio = 0.2);
    talk(500);
    rig.captured.clear();
    talk(500);
    assertThat(copied()).hasSizeGreaterThan(700);
    rig.links.forEach(link -> link.lossRatio = 0);
    talk(2_000);
    rig.captured.clear();
    talk(500);
    assertThat(copied()).isEmpty();
  }

  @Test
  void aSparePathCarriesCopiesWhileTheOthersLose() {
    rig.use(1, PathUse.SPARE);
    rig.advanceMs(200);
    talk(500);
    assertThat(rig.links.getLast().sentUp).isLessThan(20);
    rig.links.getFirst().lossRatio = 0.2;
    talk(1_000);
    rig.advanceMs(1_000);
    rig.atSnapt.clear();
    talk(1_000);
    rig.advanceMs(1_000);
    assertThat(distinct(rig.atSnapt)).as("seed %d", SEED).isEqualTo(1_000);
  }

  @Test
  void anEndOfTheVersionBeforeGetsNoCopies() {
    rig.close();
    rig = PathsRig.opened(ServiceClass.LT_LD, TunnelLimits.FEATURES, SEED);
    route(FlowRoute.TWO_PATHS);
    talk(100);
    assertThat(copied()).isEmpty();
    assertThat(distinct(rig.atSnapt)).isEqualTo(rig.atSnapt.size()).isGreaterThan(90);
  }
}
