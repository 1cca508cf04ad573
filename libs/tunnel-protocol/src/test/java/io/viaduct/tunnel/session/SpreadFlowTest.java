package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.control.v1.Feature;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.wire.BigEndian;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One TCP flow over two paths of 10 Mbit/s, with round trips of 20 and 60 ms (docs/protocol.md
/// section 4.5).
class SpreadFlowTest {
  private static final long SEED = 99;
  private static final int SEGMENT = 1_000;
  private static final int ACK = 0x10;
  private static final PacketForge.Endpoints FLOW = PacketForge.Endpoints.ipv4(5_001, 7, 80);

  private PathsRig rig = rig(Set.of(Feature.COPIES, Feature.RESEQUENCING));
  private final List<byte[]> stream = new ArrayList<>();
  private final SplittableRandom contents = new SplittableRandom(SEED);
  private int sequence = 1_000_000;
  private int lastDelivered = 1_000_000;
  private int outOfOrder;
  private boolean acknowledges;
  private int acknowledgements;
  private final Set<Integer> delivered = new HashSet<>();

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

  /// Sends at a constant rate. A segment that is dropped before the tunnel is sent again next, as
  /// TCP would do.
  private void upload(double mbitPerSecond, int seconds) {
    double owed = 0;
    for (int ms = 0; ms < seconds * 1_000; ms++) {
      owed += mbitPerSecond * 125 / SEGMENT;
      for (; owed >= 1; owed--) {
        byte[] payload = new byte[SEGMENT];
        contents.nextBytes(payload);
        byte[] packet = PacketForge.tcp(FLOW, sequence, ACK, payload);
        if (rig.offer(rig.agent, packet) == Verdict.QUEUED) {
          stream.add(payload);
          sequence += SEGMENT;
        }
      }
      if (acknowledges) {
        rig.offer(rig.agent, PacketForge.tcp(FLOW, sequence, ACK, new byte[0]));
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
      if (at == packet.length) {
        acknowledgements++;
        continue;
      }
      int number =
          (BigEndian.getInt(packet, PacketForge.headerBytes(packet) + 4) - 1_000_000) / SEGMENT;
      assertThat(Arrays.copyOfRange(packet, at, packet.length))
          .as("segment %d, seed %d", number, SEED)
          .isEqualTo(stream.get(number));
      assertThat(delivered.add(number)).as("segment %d once, seed %d", number, SEED).isTrue();
      outOfOrder += number < lastDelivered && lastDelivered != 1_000_000 ? 1 : 0;
      lastDelivered = number;
    }
    rig.atSnapt.clear();
  }

  private void begin() {
    upload(1, 1);
    rig.links.forEach(link -> link.sentUp = 0);
  }

  @Test
  void aFlowThatFillsItsPathTakesBothAndArrivesInOrder() {
    begin();
    upload(16, 5);
    rig.links.forEach(link -> link.sentUp = 0);
    int before = stream.size();
    outOfOrder = 0;
    upload(16, 5);
    rig.advanceMs(500);
    take();
    assertThat(outOfOrder).isZero();
    assertThat(rig.links).allSatisfy(link -> assertThat(link.sentUp).isGreaterThan(2_500));
    assertThat(stream.size() - before).as("of 10000").isGreaterThan(9_500);
    assertThat(delivered).hasSizeGreaterThan(stream.size() * 98 / 100);
    assertThat(rig.snapt.verdicts().of(Verdict.RESEQUENCED)).isPositive();
  }

  @Test
  void acknowledgementsOfATwoWayFlowReleaseNoSegmentBeforeItsTurn() {
    begin();
    acknowledges = true; // of data that come down; their sequence is the next one to be sent
    upload(16, 5);
    outOfOrder = 0;
    long missing = rig.snapt.verdicts().of(Verdict.SEGMENT_MISSING);
    upload(16, 5);
    rig.advanceMs(500);
    take();
    assertThat(acknowledgements).isGreaterThan(8_000);
    assertThat(outOfOrder).as("seed %d", SEED).isZero();
    assertThat(rig.snapt.verdicts().of(Verdict.SEGMENT_MISSING)).isEqualTo(missing);
  }

  @Test
  void aLineWhoseRateChangesTenfoldHasItsShareAfterThreeSeconds() {
    rig.links.forEach(link -> link.queueNs = 100_000_000);
    PathsRig.Link changing = rig.links.get(1);
    begin();
    upload(19, 5);
    changing.bytesPerSecond /= 10;
    assertThat(shareAfterThreeSeconds(changing)).isBetween(0.04, 0.14);
    changing.bytesPerSecond *= 10;
    assertThat(shareAfterThreeSeconds(changing)).isBetween(0.4, 0.6);
  }

  private double shareAfterThreeSeconds(PathsRig.Link of) {
    upload(19, 3);
    rig.links.forEach(link -> link.sentUp = 0);
    upload(19, 3);
    return (double) of.sentUp / rig.links.stream().mapToInt(link -> link.sentUp).sum();
  }

  @Test
  void aFlowThatOnePathCarriesStaysOnIt() {
    begin();
    upload(6, 5);
    assertThat(rig.links.get(1).sentUp).isLessThan(rig.links.get(0).sentUp / 10);
    assertThat(outOfOrder).isZero();
    assertThat(rig.snapt.verdicts().of(Verdict.RESEQUENCED)).isZero();
  }

  @Test
  void aFlowIsNoLongerSpreadWhenOnePathIsEnough() {
    begin();
    upload(16, 5);
    upload(4, 5);
    rig.links.forEach(link -> link.sentUp = 0);
    upload(4, 2);
    assertThat(rig.agent.flows().byId(1).spread()).isNull();
  }

  @Test
  void anEndThatDoesNotPutSegmentsInOrderGetsThemByOnePathAtATime() {
    rig.close();
    rig = rig(Set.of(Feature.COPIES));
    begin();
    upload(16, 5);
    assertThat(rig.agent.flows().byId(1).spread()).isNull();
    assertThat(rig.snapt.verdicts().of(Verdict.RESEQUENCED)).isZero();
  }

  @Test
  void aLostSegmentIsGivenUpSoonAndNothingElseWaitsForIt() {
    begin();
    upload(16, 3);
    rig.links.forEach(link -> link.lossRatio = 0.01);
    upload(16, 5);
    rig.links.forEach(link -> link.lossRatio = 0);
    rig.advanceMs(300);
    take();
    assertThat(rig.snapt.verdicts().of(Verdict.SEGMENT_MISSING)).as("seed %d", SEED).isPositive();
    assertThat(delivered).as("seed %d", SEED).hasSizeGreaterThan(stream.size() * 97 / 100);
  }

  @ParameterizedTest
  @CsvSource({"10, 2", "50, 2", "100, 7"})
  void jitterCausesLittleDisorder(long jitterMs, int percentMost) {
    begin();
    upload(16, 5);
    rig.links.forEach(link -> link.jitterNs = jitterMs * 1_000_000);
    upload(16, 5); // the grace grows
    outOfOrder = 0;
    int before = delivered.size();
    upload(16, 5);
    rig.advanceMs(500);
    take();
    assertThat(outOfOrder)
        .as("out of order among %d, seed %d", delivered.size() - before, SEED)
        .isLessThan((delivered.size() - before) * percentMost / 100);
  }

  @Test
  void asManyFlowsAreSpreadAsTheReceiverPutsInOrder() {
    for (int ms = 0; ms < 2_000; ms++) {
      for (int i = 0; i < 20; i++) {
        PacketForge.Endpoints each = PacketForge.Endpoints.ipv4(6_000 + i, 7, 80);
        rig.offer(rig.agent, PacketForge.tcp(each, 1 + ms * 10, ACK, new byte[10]));
      }
      rig.agent.flushBatch(rig.nowNs);
      rig.drain();
      if (ms == 100) {
        rig.agent.flows().forEach(flow -> rig.agent.route(flow, FlowRoute.SPREAD, rig.nowNs));
      }
      rig.advanceMs(1);
    }
    List<Boolean> spread = new ArrayList<>();
    rig.agent.flows().forEach(flow -> spread.add(flow.spread() != null));
    assertThat(spread).hasSize(20);
    assertThat(spread.stream().filter(each -> each)).hasSize(16);
    assertThat(rig.snapt.verdicts().of(Verdict.SPREAD_REFUSED)).isZero();
  }

  @Test
  void aRuleSpreadsAFlowThatDoesNotFillItsPath() {
    begin();
    rig.agent.flows().forEach(flow -> rig.agent.route(flow, FlowRoute.SPREAD, rig.nowNs));
    upload(6, 3);
    assertThat(rig.agent.flows().byId(1).spread()).isNotNull();
    assertThat(outOfOrder).isZero();
  }
}
