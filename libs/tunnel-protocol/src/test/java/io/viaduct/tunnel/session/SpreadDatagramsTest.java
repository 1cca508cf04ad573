package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// One UDP flow over two paths of 10 Mbit/s, with round trips of 20 and 60 ms (docs/protocol.md
/// section 4.5).
class SpreadDatagramsTest {
  private static final long SEED = 199;
  private static final int PAYLOAD = 1_000;
  private static final long FAR_NS = 30_000_000;
  private static final long QUEUE_NS = 200_000_000; // what a class may wait at the sender
  private static final long HELD_NS = 250_000_000;
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_001, 7, 443);

  private PathsRig rig = rig(Set.of(Feature.RESEQUENCING, Feature.NUMBERED_PACKETS));
  private final List<byte[]> stream = new ArrayList<>();
  private final List<Long> sentNs = new ArrayList<>();
  private final SplittableRandom contents = new SplittableRandom(SEED);
  private final Set<Integer> delivered = new HashSet<>();
  private int lastDelivered = -1;
  private int outOfOrder;
  private long longestNs;
  private long deliveredBytes;

  private static PathsRig rig(Set<Feature> features) {
    PathsRig made = new PathsRig(features, 8, 10, 30);
    made.weather = new SplittableRandom(SEED);
    made.serviceClass = ServiceClass.HT_HD;
    made.links.forEach(link -> link.bytesPerSecond = 1_250_000);
    made.openAll();
    return made;
  }

  @AfterEach
  void close() {
    rig.close();
  }

  /// Sends at a constant rate; a packet that is dropped before the tunnel is never sent again.
  private void upload(double mbitPerSecond, int seconds) {
    double owed = 0;
    for (int ms = 0; ms < seconds * 1_000; ms++) {
      owed += mbitPerSecond * 125 / PAYLOAD;
      for (; owed >= 1; owed--) {
        byte[] payload = new byte[PAYLOAD];
        contents.nextBytes(payload);
        BigEndian.putInt(payload, 0, stream.size());
        if (rig.offer(rig.agent, PacketForge.udp(FLOW, payload)) == Verdict.QUEUED) {
          stream.add(payload);
          sentNs.add(rig.nowNs);
        }
      }
      rig.agent.flushBatch(rig.nowNs);
      rig.drain();
      rig.advanceMs(1);
      take();
    }
  }

  private void take() {
    for (byte[] packet : rig.atSnapt) {
      int at = PacketForge.payloadAt(packet);
      int number = BigEndian.getInt(packet, at);
      assertThat(Arrays.copyOfRange(packet, at, packet.length))
          .as("packet %d, seed %d", number, SEED)
          .isEqualTo(stream.get(number));
      assertThat(delivered.add(number)).as("packet %d once, seed %d", number, SEED).isTrue();
      outOfOrder += number < lastDelivered ? 1 : 0;
      lastDelivered = number;
      longestNs = Math.max(longestNs, rig.nowNs - sentNs.get(number));
      deliveredBytes += packet.length;
    }
    rig.atSnapt.clear();
  }

  private void begin() {
    upload(1, 1);
    rig.links.forEach(link -> link.sentUp = 0);
  }

  private void end() {
    for (int ms = 0; ms < 500; ms++) {
      rig.advanceMs(1);
      take();
    }
  }

  private FlowState flow() {
    return rig.agent.flows().byId(1);
  }

  @Test
  void aFlowThatFillsItsPathTakesBothAndArrivesInOrder() {
    begin();
    upload(16, 5);
    rig.links.forEach(link -> link.sentUp = 0);
    int before = stream.size();
    outOfOrder = 0;
    upload(16, 5);
    end();
    assertThat(outOfOrder).as("seed %d", SEED).isZero();
    assertThat(rig.links).allSatisfy(link -> assertThat(link.sentUp).isGreaterThan(2_500));
    assertThat(stream.size() - before).as("of 10000").isGreaterThan(9_500);
    assertThat(delivered).as("seed %d", SEED).hasSizeGreaterThan(stream.size() * 98 / 100);
    assertThat(longestNs).isLessThan(FAR_NS + QUEUE_NS + HELD_NS);
    assertThat(rig.snapt.verdicts().of(Verdict.RESEQUENCED)).isPositive();
  }

  @Test
  void aFlowThatWantsMoreThanBothPathsCarryFillsBoth() {
    begin();
    upload(24, 5);
    int before = delivered.size();
    outOfOrder = 0;
    upload(24, 5);
    assertThat(outOfOrder).as("seed %d", SEED).isZero();
    // 20 Mbit/s less outer headers of 5 %: 11,875 packets of 1000 bytes in five seconds.
    assertThat(delivered.size() - before).as("seed %d", SEED).isGreaterThan(10_500);
  }

  @Test
  void eachPacketIsMeteredOnceAtBothEnds() {
    begin();
    upload(16, 5);
    end();
    var sent = flow().sent();
    assertThat(sent.packets()).isEqualTo(stream.size());
    var received = rig.snapt.flows().byId(1).received();
    assertThat(received.packets()).isEqualTo(delivered.size());
    assertThat(received.preBytes()).isEqualTo(deliveredBytes);
  }

  @Test
  void anEndOfTheVersionBeforeGetsNoNumberAndOnePathAtATime() {
    rig.close();
    rig = rig(Set.of(Feature.RESEQUENCING));
    assertThat(rig.agent.spreads(IpFields.UDP)).isFalse();
    assertThat(rig.agent.spreads(IpFields.TCP)).isTrue();
    begin();
    upload(16, 5);
    rig.agent.route(flow(), FlowRoute.SPREAD, rig.nowNs);
    upload(16, 2);
    assertThat(flow().spread()).isNull();
    assertThat(flow().takeNumber()).isZero();
    assertThat(rig.snapt.verdicts().of(Verdict.RESEQUENCED)).isZero();
    assertThat(rig.snapt.verdicts().of(Verdict.SPREAD_REFUSED)).isZero();
  }

  @Test
  void aFlowThatOnePathCarriesStaysOnItWithoutNumbers() {
    begin();
    upload(6, 5);
    assertThat(rig.links.get(1).sentUp).isLessThan(rig.links.get(0).sentUp / 10);
    assertThat(flow().takeNumber()).isZero();
    assertThat(outOfOrder).isZero();
  }

  @Test
  void aFlowThatIsSpreadAgainGoesOnWithItsNumbersAndWaitsForNothing() {
    begin();
    upload(16, 5);
    upload(4, 5);
    assertThat(flow().spread()).isNull();
    assertThat(flow().takeNumber()).isPositive();
    upload(16, 2); // the queue of the near path is what the bound does not cover
    assertThat(flow().isSpread()).isTrue();
    outOfOrder = 0;
    upload(16, 3);
    end();
    assertThat(outOfOrder).as("seed %d", SEED).isZero();
    assertThat(delivered).as("seed %d", SEED).hasSizeGreaterThan(stream.size() * 97 / 100);
    assertThat(longestNs).isLessThan(FAR_NS + QUEUE_NS + HELD_NS);
  }

  @Test
  void aLostPacketIsGivenUpSoonAndNothingElseWaitsForIt() {
    begin();
    upload(16, 3);
    rig.links.forEach(link -> link.lossRatio = 0.01);
    upload(16, 5);
    rig.links.forEach(link -> link.lossRatio = 0);
    end();
    assertThat(rig.snapt.verdicts().of(Verdict.SEGMENT_MISSING)).as("seed %d", SEED).isPositive();
    assertThat(delivered).as("seed %d", SEED).hasSizeGreaterThan(stream.size() * 97 / 100);
    assertThat(longestNs).isLessThan(FAR_NS + QUEUE_NS + HELD_NS);
  }

  @Test
  void aPathThatFallsSilentHoldsNothingLongerThanTheBound() {
    begin();
    upload(16, 3);
    rig.links.get(1).losesUp = true;
    upload(4, 1);
    rig.use(1, PathUse.NO);
    longestNs = 0;
    upload(4, 3);
    end();
    assertThat(flow().spread()).isNull();
    assertThat(longestNs).as("seed %d", SEED).isLessThan(FAR_NS + QUEUE_NS + HELD_NS);
    assertThat(delivered).contains(stream.size() - 1);
  }

  @Test
  void aRuleSpreadsAFlowThatDoesNotFillItsPathAndAnotherRuleEndsThat() {
    begin();
    rig.agent.route(flow(), FlowRoute.SPREAD, rig.nowNs);
    upload(6, 3);
    assertThat(flow().isSpread()).isTrue();
    assertThat(flow().takeNumber()).isPositive();
    rig.agent.route(flow(), FlowRoute.MOST_SPARE, rig.nowNs);
    upload(6, 1);
    assertThat(flow().isSpread()).isFalse();
    int next = flow().takeNumber();
    upload(6, 1);
    assertThat(flow().takeNumber()).isEqualTo(next + 1);
    end();
    assertThat(outOfOrder).isZero();
    assertThat(delivered).hasSameSizeAs(stream);
  }

  @Test
  void aFlowThatGoesOnInANewSessionWaitsForNothing() {
    begin();
    rig.agent.route(flow(), FlowRoute.SPREAD, rig.nowNs);
    upload(16, 3);
    end();
    rig.close();
    rig = rig(Set.of(Feature.RESEQUENCING, Feature.NUMBERED_PACKETS)); // at another SNAPT
    stream.clear();
    sentNs.clear();
    delivered.clear();
    lastDelivered = -1;
    outOfOrder = 0;
    longestNs = 0;
    upload(1, 1);
    rig.agent.route(flow(), FlowRoute.SPREAD, rig.nowNs);
    upload(6, 3);
    end();
    assertThat(delivered).hasSameSizeAs(stream);
    assertThat(outOfOrder).isZero();
    assertThat(longestNs).isLessThan(FAR_NS + QUEUE_NS);
  }
}
