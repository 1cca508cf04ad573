package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Sessions with several paths: docs/protocol.md section 4.5.
class ManyPathsTest {
  private static final byte[] HELLO = {'h', 'i'};

  private final SplittableRandom random = new SplittableRandom(1);

  private static byte[] up(int port) {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(port, 7, 53), HELLO);
  }

  private static byte[] down(int port) {
    return PacketForge.udp(PacketForge.Endpoints.ipv4(port, 7, 53).reversed(), HELLO);
  }

  /// Returns bytes that do not compress, not even with the bytes before.
  private byte[] noise() {
    byte[] bytes = new byte[1_000];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void eachPathIsBoundByItsOwnChallenge() {
    try (PathsRig rig = new PathsRig(8, 10, 20, 30)) {
      rig.openAll();
      assertThat(rig.moves)
          .containsExactly("new → 198.51.100.1", "new → 198.51.100.2", "new → 198.51.100.3");
      assertThat(rig.snapt.paths(rig.nowNs))
          .extracting(PathState::address)
          .containsExactlyElementsOf(rig.links.stream().map(link -> link.address).toList());
      assertThat(rig.snapt.paths(rig.nowNs)).extracting(PathState::use).containsOnly(PathUse.YES);
    }
  }

  @Test
  void eachEndMeasuresTheRoundTripOfEachPath() {
    try (PathsRig rig = new PathsRig(8, 10, 40)) {
      rig.openAll();
      for (TunnelSession end : List.of(rig.agent, rig.snapt)) {
        assertThat(end.paths(rig.nowNs))
            .extracting(PathState::roundTripUs)
            .containsExactly(20_000.0, 80_000.0);
        assertThat(end.paths(rig.nowNs))
            .extracting(PathState::delayErrorUs)
            .as("half the round trip, of each path")
            .containsExactly(10_000.0, 40_000.0);
        assertThat(end.paths(rig.nowNs))
            .as("one clock in the rig, and links that are as slow in both directions")
            .allMatch(each -> each.clockOffsetUs() == 0);
      }
      assertThat(rig.agent.delayErrorUs()).isEqualTo(10_000);
    }
  }

  @Test
  void eachEndMeasuresTheLossOfBothDirectionsOfEachPath() {
    try (PathsRig rig = new PathsRig(8, 10, 20)) {
      rig.openAll();
      rig.links.get(0).lossRatioDown = 0.2;
      for (int i = 0; i < 2_000; i++) {
        rig.send(rig.agent, PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), noise()));
        rig.send(
            rig.snapt,
            PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53).reversed(), noise()));
        rig.advanceMs(2);
      }
      PathState agent = rig.agent.paths(rig.nowNs).getFirst();
      PathState snapt = rig.snapt.paths(rig.nowNs).getFirst();
      assertThat(agent.lossRatio()).isLessThan(0.01);
      assertThat(agent.lossToHereRatio()).isBetween(0.1, 0.3);
      assertThat(agent.usualLossRatio()).isBetween(0.1, 0.3);
      assertThat(snapt.lossRatio()).isBetween(0.1, 0.3);
      assertThat(snapt.lossToHereRatio()).isLessThan(0.01);
    }
  }

  @Test
  void aProbeSharesWhatTheProberHasMeasuredWithTheOtherEnd() {
    Set<Feature> sharing = Set.of(Feature.COPIES, Feature.MEASUREMENTS);
    try (PathsRig rig = new PathsRig(sharing, 8, 10, 40)) {
      rig.openAll();
      rig.links.get(0).lossRatioDown = 0.2;
      for (int i = 0; i < 1_000; i++) {
        rig.send(rig.agent, PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), noise()));
        rig.send(
            rig.snapt,
            PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53).reversed(), noise()));
        rig.advanceMs(2);
      }
      rig.links.get(0).lossRatioDown = 0;
      rig.probeAll();
      rig.advanceMs(50);
      PathState told = rig.snapt.paths(rig.nowNs).getFirst();
      PathState measured = rig.agent.paths(rig.nowNs).getFirst();
      assertThat(told.usualRoundTripUs()).isBetween(19_000.0, 23_000.0);
      assertThat(told.roundTripUs()).isBetween(19_000.0, 23_000.0);
      assertThat(told.peerBitPerSecond()).isBetween(1e5, 1e8);
      assertThat(told.lossRatio())
          .as("of the direction that the prober receives, at least as it says")
          .isGreaterThanOrEqualTo(0.9 * measured.lossToHereRatio());
      assertThat(rig.snapt.paths(rig.nowNs).get(1).usualRoundTripUs())
          .isBetween(79_000.0, 83_000.0);
      assertThat(measured.usualRoundTripUs()).as("it measures itself").isPositive();
      assertThat(rig.agent.paths(rig.nowNs).getFirst().peerBitPerSecond()).isZero();
    }
  }

  @Test
  void aPathThatTheListeningEndFindsSilentIsLeftByItAlone() {
    try (PathsRig rig = new PathsRig(8, 10, 40)) {
      rig.serviceClass = ServiceClass.LT_LD;
      rig.openAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      rig.snapt.silent(0, true, rig.nowNs);
      int before = rig.links.get(1).sentDown;
      rig.send(rig.snapt, down(5000));
      rig.advanceMs(100);
      assertThat(rig.atAgent).hasSize(1);
      assertThat(rig.links.get(1).sentDown).as("by the other path").isGreaterThan(before);
      rig.snapt.silent(0, false, rig.nowNs);
      int again = rig.links.get(0).sentDown;
      for (int i = 0; i < 100; i++) {
        rig.send(rig.snapt, down(5000));
        rig.advanceMs(10);
      }
      assertThat(rig.links.get(0).sentDown).as("it is used again").isGreaterThan(again + 10);
    }
  }

  @Test
  void aProbeTellsTheLossOfADirectionWithoutReceipts() {
    try (PathsRig rig = new PathsRig(8, 10)) {
      rig.openAll();
      rig.links.getFirst().lossRatioDown = 0.3;
      rig.send(rig.agent, up(5000));
      for (int i = 0; i < 500; i++) {
        rig.send(
            rig.snapt,
            PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53).reversed(), noise()));
        rig.advanceMs(2);
      }
      rig.links.getFirst().lossRatioDown = 0;
      rig.probeAll();
      rig.advanceMs(100);
      assertThat(rig.agent.paths(rig.nowNs).getFirst().lossToHereRatio()).isBetween(0.2, 0.4);
    }
  }

  @Test
  void lowDelayClassesTakeTheNearestPathInBothDirections() {
    try (PathsRig rig = new PathsRig(8, 40, 10)) {
      rig.serviceClass = ServiceClass.LT_LD;
      rig.openAll();
      rig.advanceMs(1000);
      int before = rig.links.get(1).sentUp;
      int beforeDown = rig.links.get(1).sentDown;
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      rig.send(rig.snapt, down(5000));
      rig.advanceMs(100);
      assertThat(rig.atSnapt).hasSize(1);
      assertThat(rig.atAgent).hasSize(1);
      assertThat(rig.links.get(1).sentUp).isGreaterThan(before);
      assertThat(rig.links.get(1).sentDown).isGreaterThan(beforeDown);
    }
  }

  @Test
  void aPathThatIsLeftWhileItWorksLosesNoPacketAndDoublesNone() {
    try (PathsRig rig = new PathsRig(8, 10, 25)) {
      rig.openAll();
      for (int i = 0; i < 200; i++) {
        rig.send(rig.agent, up(5000));
        rig.send(rig.snapt, down(5000));
        if (i == 100) {
          rig.use(0, PathUse.NO);
        }
        rig.advanceMs(1);
      }
      rig.advanceMs(200);
      assertThat(rig.atSnapt).hasSize(200);
      // The SNAPT's first packets belong to a flow that only the device's first packet opens.
      assertThat(rig.atAgent.size()).isEqualTo(200);
      int left = rig.links.get(0).sentUp;
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      assertThat(rig.links.get(0).sentUp).isEqualTo(left);
    }
  }

  @Test
  void fullDatagramsFitThePathByWhichTheyLeaveAlsoIfTheyWaitedForOneOfTheOtherFamily() {
    long seed = 20_261_125;
    SplittableRandom random = new SplittableRandom(seed);
    try (PathsRig rig = new PathsRig(8, 10, 10)) {
      rig.links.get(1).address = new InetSocketAddress("2001:db8::2", 40_000);
      rig.openAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      for (int round = 0; round < 6; round++) {
        int left = round % 2;
        rig.use(1 - left, PathUse.NO);
        rig.advanceMs(50);
        for (int i = 0; i < 40; i++) {
          byte[] payload = new byte[random.nextInt(100, 700)];
          random.nextBytes(payload);
          var to = PacketForge.Endpoints.ipv4(5000, 7, 53);
          rig.offer(rig.agent, PacketForge.udp(to, payload));
          rig.offer(rig.snapt, PacketForge.udp(to.reversed(), payload));
        }
        rig.agent.use(1 - left, PathUse.YES, rig.nowNs);
        rig.use(left, PathUse.NO); // what waits leaves by the other family
        rig.advanceMs(200);
        rig.use(left, PathUse.YES);
        rig.advanceMs(50);
      }
      assertThat(rig.atSnapt).as("seed %d", seed).hasSize(1 + 6 * 40);
      assertThat(rig.atAgent).as("seed %d", seed).hasSize(6 * 40);
      for (PathsRig.Link each : rig.links) {
        assertThat(each.longest + OuterHeader.of(each.address).bytes())
            .as("seed %d, by %s", seed, each.address)
            .isBetween(1490, 1500);
      }
    }
  }

  @Test
  void theSnaptLeavesADeadPathHalfARoundTripAfterTheDeviceHasTold() {
    try (PathsRig rig = new PathsRig(8, 10, 10)) {
      rig.openAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      rig.links.get(0).losesUp = true;
      rig.links.get(0).losesDown = true;
      rig.use(0, PathUse.NO);
      rig.advanceMs(11);
      int before = rig.links.get(0).sentDown;
      rig.send(rig.snapt, down(5000));
      rig.advanceMs(50);
      assertThat(rig.atAgent).hasSize(1);
      assertThat(rig.links.get(0).sentDown).isEqualTo(before);
    }
  }

  @Test
  void aSparePathCarriesDataOnlyWhileNoOtherWorks() {
    try (PathsRig rig = new PathsRig(8, 30, 5)) {
      rig.openAll();
      rig.use(1, PathUse.SPARE);
      rig.advanceMs(100);
      int before = rig.links.get(1).sentUp;
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      assertThat(rig.atSnapt).hasSize(1);
      assertThat(rig.links.get(1).sentUp).isEqualTo(before);
      rig.use(0, PathUse.NO);
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      assertThat(rig.atSnapt).hasSize(2);
      assertThat(rig.links.get(1).sentUp).isGreaterThan(before);
    }
  }

  @Test
  void whatComesForAPathThatMovesWaitsForItsNewAddressAndIsNotSentToTheOldOne() {
    try (PathsRig rig = new PathsRig(8, 10, 10)) {
      rig.openAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      for (PathsRig.Link each : rig.links) { // the device has slept: its old addresses are gone
        each.address = new InetSocketAddress("198.51.100.20" + each.path, 999);
      }
      rig.probeAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(11);
      rig.send(rig.snapt, down(5000)); // earlier than the answer to the challenge
      rig.advanceMs(120);
      assertThat(rig.atAgent).hasSize(1);
    }
  }

  @Test
  void aProbeFromAnAddressThatDoesNotAnswerStopsThePathForTwoRoundTripsAtMost() {
    try (PathsRig rig = new PathsRig(8, 10)) {
      rig.openAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      for (int times = 0; times < 3; times++) {
        rig.captured.clear();
        rig.links.getFirst().losesUp = true; // the attacker forwards this probe from elsewhere
        rig.probeAll();
        rig.links.getFirst().losesUp = false;
        byte[] held = rig.captured.getFirst();
        assertThat(rig.receiveAtSnapt(held, new InetSocketAddress("203.0.113.9", 9)))
            .isEqualTo(Verdict.ACCEPTED);
        rig.send(rig.snapt, down(5000));
        rig.advanceMs(120); // with the longest wait of its class
        assertThat(rig.atAgent).as("time %d", times).hasSize(times + 1);
      }
    }
  }

  @Test
  void anOlderDecisionThatArrivesLateChangesNothing() {
    try (PathsRig rig = new PathsRig(8, 10, 10)) {
      rig.openAll();
      rig.captured.clear();
      rig.agent.probe(1, Carrier.UDP, rig.nowNs);
      rig.links.get(1).losesUp = true; // the attacker holds this probe back
      rig.drain();
      byte[] held = rig.captured.getFirst();
      rig.links.get(1).losesUp = false;
      rig.use(0, PathUse.NO);
      rig.advanceMs(100);
      assertThat(rig.receiveAtSnapt(held, rig.links.get(1).address)).isEqualTo(Verdict.ACCEPTED);
      assertThat(rig.snapt.paths(rig.nowNs).getFirst().use()).isEqualTo(PathUse.NO);
    }
  }

  @Test
  void aNewAddressOfOnePathIsChallengedAndMovesThatPathOnly() {
    try (PathsRig rig = new PathsRig(8, 10, 10)) {
      rig.openAll();
      InetSocketAddress other = rig.links.get(0).address;
      rig.links.get(1).address = new InetSocketAddress("198.51.100.200", 999);
      rig.agent.probe(1, Carrier.UDP, rig.nowNs);
      rig.drain();
      rig.advanceMs(100);
      assertThat(rig.snapt.paths(rig.nowNs))
          .extracting(PathState::address)
          .containsExactly(other, new InetSocketAddress("198.51.100.200", 999));
    }
  }

  @Test
  void aCapturedStreamFromAStrangersAddressDivertsNoByteOnAnyPath() {
    try (PathsRig rig = new PathsRig(8, 10, 20)) {
      InetSocketAddress stranger = new InetSocketAddress("203.0.113.66", 6666);
      rig.openAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(1_000); // until nothing is on its way
      List<byte[]> stream = List.copyOf(rig.captured);
      for (byte[] datagram : stream) {
        assertThat(rig.receiveAtSnapt(datagram, stranger)).isNotEqualTo(Verdict.ACCEPTED);
      }
      // The attacker holds datagrams back and sends them first: only the device can answer the
      // challenge.
      rig.captured.clear();
      rig.links.get(0).losesUp = true;
      rig.links.get(1).losesUp = true;
      rig.probeAll();
      rig.send(rig.agent, up(5000));
      rig.links.get(0).losesUp = false;
      rig.links.get(1).losesUp = false;
      for (byte[] datagram : List.copyOf(rig.captured)) {
        rig.receiveAtSnapt(datagram, stranger);
      }
      rig.drain();
      rig.advanceMs(200);
      assertThat(rig.snapt.paths(rig.nowNs))
          .extracting(PathState::address)
          .containsExactly(rig.links.get(0).address, rig.links.get(1).address);
      assertThat(rig.moves).hasSize(2);
    }
  }

  @Test
  void aPathThatTheHandshakeHasNotAllowedIsCounted() {
    try (PathsRig rig = new PathsRig(2, 10, 20);
        PathsRig more = new PathsRig(8, 10, 20, 30)) {
      rig.openAll();
      more.agent.use(2, PathUse.YES, more.nowNs);
      more.agent.probe(2, Carrier.UDP, more.nowNs);
      more.drain(); // the same keys: both rigs begin with the same secret
      byte[] probe = more.captured.getFirst();
      PathsRig fresh = new PathsRig(2, 10);
      fresh.receiveAtSnapt(probe, more.links.get(2).address);
      assertThat(fresh.snapt.verdicts().of(Verdict.PATH_UNKNOWN)).isEqualTo(1);
      fresh.close();
    }
  }

  @Test
  void aRouteHoldsAFlowOnOnePathInBothDirections() {
    try (PathsRig rig = new PathsRig(8, 10, 60)) {
      rig.serviceClass = ServiceClass.LT_LD;
      rig.openAll();
      rig.send(rig.agent, up(5000));
      rig.advanceMs(100);
      rig.agent.flows().forEach(flow -> rig.agent.route(flow, 1, rig.nowNs));
      rig.send(rig.agent, up(5000));
      rig.advanceMs(200);
      int up = rig.links.get(1).sentUp;
      int down = rig.links.get(1).sentDown;
      rig.send(rig.agent, up(5000));
      rig.send(rig.snapt, down(5000));
      rig.advanceMs(200);
      assertThat(rig.links.get(1).sentUp).isGreaterThan(up);
      assertThat(rig.links.get(1).sentDown).isGreaterThan(down);
      rig.agent.flows().forEach(flow -> rig.agent.route(flow, FlowRoute.bound(1), rig.nowNs));
      rig.use(1, PathUse.NO);
      assertThat(rig.offer(rig.agent, up(5000))).as("no other path").isEqualTo(Verdict.NO_PATH);
      rig.agent.flows().forEach(flow -> rig.agent.route(flow, FlowRoute.ANY, rig.nowNs));
      assertThat(rig.offer(rig.agent, up(5000))).isEqualTo(Verdict.QUEUED);
    }
  }

  @Test
  void aFlowThatCountsRateLeavesAPathThatLosesBadlyAndStaysWhereItWent() {
    try (PathsRig rig = new PathsRig(8, 10, 20)) {
      rig.openAll();
      byte[] packet = PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), noise());
      for (int i = 0; i < 9000; i++) {
        rig.links.get(0).losesUp = i > 500 && i % 5 == 0;
        rig.send(rig.agent, packet);
        rig.advanceMs(1);
      }
      rig.links.get(0).losesUp = false;
      int before = rig.links.get(0).sentUp;
      for (int i = 0; i < 5000; i++) {
        rig.send(rig.agent, packet);
        rig.advanceMs(1);
      }
      assertThat(rig.links.get(0).sentUp - before).as("records, no packets").isLessThan(500);
    }
  }

  @Test
  void theOvershootOfATcpConnectionIsNoReasonToLeaveItsPath() {
    try (PathsRig rig = new PathsRig(8, 10, 20)) {
      rig.openAll();
      byte[] packet = PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), noise());
      for (int i = 0; i < 4000; i++) {
        rig.links.get(0).losesUp = i > 500 && i < 1000 && i % 3 == 0;
        rig.send(rig.agent, packet);
        rig.advanceMs(1);
      }
      assertThat(rig.links.get(1).sentUp).isLessThan(500);
    }
  }

  @Test
  void aFlowThatCountsRateStaysWhereAllPathsLose() {
    try (PathsRig rig = new PathsRig(8, 10, 20)) {
      rig.openAll();
      byte[] packet = PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), noise());
      for (PathsRig.Link each : rig.links) {
        each.lossRatio = 0.1;
      }
      for (int i = 0; i < 2000; i++) {
        rig.send(rig.agent, packet);
        rig.advanceMs(1);
      }
      int[] before = rig.links.stream().mapToInt(link -> link.sentUp).toArray();
      for (int i = 0; i < 1000; i++) {
        rig.send(rig.agent, packet);
        rig.advanceMs(1);
      }
      int first = rig.links.get(0).sentUp - before[0];
      int second = rig.links.get(1).sentUp - before[1];
      assertThat(Math.min(first, second)).as("%d and %d", first, second).isLessThan(100);
    }
  }

  @Test
  void aLosingPathIsLeftByLowDelayClassesAlthoughItIsNearer() {
    try (PathsRig rig = new PathsRig(8, 10, 20)) {
      rig.serviceClass = ServiceClass.LT_LD;
      rig.openAll();
      byte[] payload = new byte[1000];
      byte[] packet = PacketForge.udp(PacketForge.Endpoints.ipv4(5000, 7, 53), noise());
      for (int i = 0; i < 3000; i++) {
        rig.links.get(0).losesUp = i > 500 && i % 5 == 0;
        payload[0] = (byte) i;
        rig.send(rig.agent, packet);
        rig.advanceMs(1);
      }
      int before = rig.links.get(0).sentUp;
      for (int i = 0; i < 100; i++) {
        rig.send(rig.agent, packet);
        rig.advanceMs(1);
      }
      assertThat(rig.links.get(0).sentUp - before).isLessThan(10);
    }
  }
}
