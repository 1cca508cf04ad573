package io.viaduct.tunnel.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.flow.FlowCounters;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.PeerFlowStats;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.terms.CompressionContext;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TunnelSessionTest {
  private final LoopbackRig rig = new LoopbackRig();
  private final Random random = new Random(11);

  @AfterEach
  void close() {
    rig.close();
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void aFirstPacketTravelsWholeAndTheNextOnesWithoutHeaders() {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    byte[] packet = PacketForge.udp(to, bytes(60));
    rig.open(packet);
    assertThat(rig.atSnapt).hasSize(1);
    assertThat(rig.atSnapt.getFirst().packet()).isEqualTo(packet);

    rig.offer(rig.agent, packet);
    rig.passDeadline(rig.agent);
    int onTheWire = rig.up.getFirst().length;
    rig.deliver();
    // header 8, tag 16, descriptor 1, kind 1, flow 1; no stamp so soon after the first
    assertThat(onTheWire).isEqualTo(8 + 16 + 1 + 2 + 60);
    var restored = rig.atSnapt.getLast();
    assertThat(PacketForge.canonical(restored.packet(), restored.partial()))
        .isEqualTo(PacketForge.canonical(packet, false));
    assertThat(restored.flow()).isSameAs(rig.atSnapt.getFirst().flow());
    assertThat(restored.flow().application()).isEqualTo(3);
    assertThat(restored.flow().serviceClass()).isEqualTo(ServiceClass.HT_HD);
  }

  @Test
  void aParsedPacketIsOfferedByItsFlowWithoutBeingReadAgain() {
    byte[] packet = PacketForge.udp(Endpoints.ipv4(5000, 7, 53), bytes(60));
    ByteBuf buffer = Unpooled.directBuffer().writeBytes(packet);
    IpPacket offered = new IpPacket().set(buffer, 0, packet.length, 0, false);
    assertThat(rig.memory.parse(offered).sourcePort()).isEqualTo(5000);
    assertThat(rig.agent.flowOfParsed()).as("no session has the flow yet").isNull();
    rig.open(packet);
    assertThat(rig.memory.parse(offered)).isNotNull();
    FlowState flow = rig.agent.flowOfParsed();
    assertThat(flow).isNotNull();
    assertThat(rig.agent.offer(offered, flow, rig.nowNs)).isEqualTo(Verdict.QUEUED);
    rig.passDeadline(rig.agent);
    rig.deliver();
    assertThat(rig.atSnapt).hasSize(2);
    assertThat(flow.sent().packets()).isEqualTo(2);
    buffer.setByte(0, 0);
    assertThat(rig.memory.parse(offered)).as("no IP packet").isNull();
    buffer.release();
  }

  @Test
  void aSuperpacketComesOutAsOne() {
    Endpoints to = Endpoints.ipv4(5000, 7, 80);
    rig.open(PacketForge.tcp(to, 1, PacketForge.ACK, bytes(10)));
    byte[] payload = bytes(1380 * 46 + 500);
    byte[] big =
        PacketForge.checksum(
            PacketForge.tcp(to, 11, PacketForge.ACK | PacketForge.PSH, payload), 1);
    rig.atSnapt.clear();
    assertThat(rig.offer(rig.agent, big, 1380, true)).isEqualTo(Verdict.QUEUED);
    rig.send(rig.agent);
    assertThat(rig.up.size()).isBetween(44, 45);
    rig.deliver();
    assertThat(rig.atSnapt).hasSize(1);
    var restored = rig.atSnapt.getFirst();
    assertThat(restored.gsoSize()).isEqualTo(1380);
    assertThat(restored.partial()).isTrue();
    assertThat(PacketForge.canonical(restored.packet(), true))
        .isEqualTo(PacketForge.canonical(big, true));
  }

  @Test
  void datagramsOfOneFlowThatArriveTogetherComeOutAsOneSuperpacket() {
    rig.withUdpSuperpackets();
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    rig.open(PacketForge.udp(to, bytes(10)));
    rig.atSnapt.clear();
    byte[] fourth = PacketForge.udp(to, bytes(40));
    for (int length : new int[] {100, 100, 100, 40, 100, 120}) {
      rig.offer(rig.agent, length == 40 ? fourth : PacketForge.udp(to, bytes(length)));
    }
    rig.passDeadline(rig.agent);
    rig.deliver();
    assertThat(rig.atSnapt)
        .extracting(LoopbackRig.Restored::gsoSize)
        .as("100 · 3 + 40, then 100, then 120: a longer one begins a new run")
        .containsExactly(100, 0, 0);
    assertThat(rig.atSnapt.getFirst().packet()).hasSize(28 + 340);
    var cut = Segments.of(rig.atSnapt.getFirst().packet(), 100, true);
    assertThat(cut).hasSize(4);
    assertThat(PacketForge.canonical(cut.getLast(), false))
        .isEqualTo(PacketForge.canonical(fourth, false));
  }

  @Test
  void aKernelWithoutUdpSuperpacketsGetsNone() {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    rig.open(PacketForge.udp(to, bytes(10)));
    rig.atSnapt.clear();
    rig.offer(rig.agent, PacketForge.udp(to, bytes(100)));
    rig.offer(rig.agent, PacketForge.udp(to, bytes(100)));
    rig.passDeadline(rig.agent);
    rig.deliver();
    assertThat(rig.atSnapt).extracting(LoopbackRig.Restored::gsoSize).containsExactly(0, 0);
  }

  private static byte[] text(int length) {
    return Arrays.copyOf(
        "many words that come again and again, ".repeat(200).getBytes(US_ASCII), length);
  }

  @Test
  void everyOuterByteIsSharedAmongFlowsAndOverheadExactly() {
    for (int i = 0; i < 300; i++) {
      rig.serviceClass = ServiceClass.of(i);
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(i % 7, i % 3, 53), text(20 + i)));
      rig.offer(rig.snapt, PacketForge.udp(Endpoints.ipv4(i % 7, i % 3, 53).reversed(), bytes(i)));
      rig.send(rig.agent);
      rig.send(rig.snapt);
      rig.deliver();
      rig.probe();
      rig.advance(3_000_000);
    }
    rig.advance(2_000_000_000L);
    assertBytes(rig.agent, rig.snapt);
    assertBytes(rig.snapt, rig.agent);
  }

  private void assertBytes(TunnelSession from, TunnelSession to) {
    long[] sum = new long[6];
    from.flows()
        .forEach(flow -> {
          var there = to.flows().byId(flow.id());
          assertThat(there.received().packets()).isEqualTo(flow.sent().packets());
          assertThat(there.received().preBytes()).isEqualTo(flow.sent().preBytes());
          sum[0] += flow.sent().postBytes();
          sum[1] += there.received().postBytes();
        });
    for (ServiceClass serviceClass : ServiceClass.values()) {
      sum[2] += from.totals().sent(serviceClass).postBytes();
      sum[3] += to.totals().received(serviceClass).postBytes();
    }
    assertThat(sum[0]).isEqualTo(sum[2]);
    assertThat(sum[1]).isEqualTo(sum[3]);
    assertThat(from.totals().sentDatagrams()).isEqualTo(to.totals().receivedDatagrams());
    assertThat(sum[2] + from.totals().sentOverheadBytes())
        .isEqualTo(sum[3] + to.totals().receivedOverheadBytes());
  }

  @Test
  void packetsWithoutFlowAreCountedOnTheirOwnAtBothEnds() {
    byte[] packet = PacketForge.udp(Endpoints.ipv4(5000, 7, 53), bytes(500));
    ByteBuf buffer = Unpooled.wrappedBuffer(packet);
    for (int i = 0; i < 3; i++) {
      rig.agent.offerFlowless(new IpPacket().set(buffer, 0, packet.length), rig.nowNs);
    }
    rig.passDeadline(rig.agent);
    int outer = rig.up.stream().mapToInt(datagram -> datagram.length + 28).sum();
    rig.deliver();
    for (FlowCounters counters :
        List.of(rig.agent.totals().sentFlowless(), rig.snapt.totals().receivedFlowless())) {
      assertThat(counters.packets()).isEqualTo(3);
      assertThat(counters.preBytes()).isEqualTo(3L * packet.length);
      assertThat(counters.postBytes()).isEqualTo(outer).isGreaterThan(3L * packet.length);
    }
    assertThat(rig.agent.totals().sent(ServiceClass.HT_HD).packets()).isEqualTo(3);
    assertThat(rig.agent.totals().sentOverheadBytes()).isZero();
    assertThat(rig.snapt.totals().receivedOverheadBytes()).isZero();
  }

  @Test
  void theAgentReportsItsCountersToTheRelay() {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    for (int i = 0; i < 10; i++) {
      rig.open(PacketForge.udp(to, bytes(100)));
    }
    rig.advance(2_100_000_000L);
    var flow = rig.atSnapt.getFirst().flow();
    assertThat(flow.peer().sentPackets()).isEqualTo(10);
    assertThat(flow.peer().sentBytes()).isEqualTo(1280);
    assertThat(flow.peer().receivedPackets()).isZero();
    assertThat(rig.nowNs - flow.peer().heardNs()).isBetween(0L, 200_000_000L);
  }

  @Test
  void anAgentThatStopsReportsTheCountersOfEachFlowAtOnce() {
    int count = 300; // more than one block of control records holds
    for (int i = 0; i < count; i++) {
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(1000 + i, 7, 53), bytes(20)));
      rig.send(rig.agent);
    }
    rig.advance(60_000_000); // delivers the packets that wait for others
    List<FlowState> flows = new ArrayList<>();
    rig.snapt.flows().forEach(flows::add);
    assertThat(flows).hasSize(count).allMatch(flow -> flow.peer() == PeerFlowStats.NONE);
    rig.agent.queueFinalStats(rig.nowNs);
    rig.drain(rig.agent);
    rig.deliver();
    assertThat(flows).allMatch(flow -> flow.peer().sentPackets() == 1);
    long said = rig.agent.totals().sentDatagrams();
    rig.agent.queueFinalStats(rig.nowNs);
    rig.drain(rig.agent);
    assertThat(rig.agent.totals().sentDatagrams())
        .as("there is nothing new to report")
        .isEqualTo(said);
  }

  @ParameterizedTest
  @ValueSource(ints = {72, 1332})
  void theStatisticsOfASlowFlowTravelWithItsPackets(int payload) {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    for (int i = 0; i < 30; i++) { // until it is known that they do not compress
      rig.open(PacketForge.udp(to, bytes(payload)));
    }
    long before = rig.agent.totals().sentDatagrams();
    int packets = 100;
    for (int i = 0; i < packets; i++) {
      rig.advance(100_000_000);
      rig.offer(rig.agent, PacketForge.udp(to, bytes(payload)));
      rig.send(rig.agent);
      rig.deliver();
    }
    assertThat(rig.agent.totals().sentDatagrams() - before).isBetween((long) packets, packets + 2L);
    assertThat(rig.atSnapt.getFirst().flow().peer().sentPackets()).isGreaterThan(packets / 3);
  }

  @Test
  void delayIsMeasuredOnceTheOffsetOfTheClocksIsKnown() {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    rig.open(PacketForge.udp(to, bytes(100)));
    var flow = rig.atSnapt.getFirst().flow();
    assertThat(flow.received().delaySamples()).isZero();
    rig.probe();
    rig.deliver();
    rig.probe();
    rig.deliver();
    rig.nowNs += 1_000_000_000;
    rig.offer(rig.agent, PacketForge.udp(to, bytes(100)));
    rig.send(rig.agent);
    rig.nowNs += 30_000_000;
    rig.deliver();
    assertThat(flow.received().delaySamples()).isEqualTo(1);
    assertThat(flow.received().delaySumUs()).isEqualTo(30_000);
    assertThat(rig.agent.roundTripUs()).isZero();
  }

  @Test
  void anotherAddressGetsNothingBeforeItHasAnsweredItsChallenge() {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    rig.open(PacketForge.udp(to, bytes(100)));
    assertThat(rig.snapt.binding()).isEqualTo(LoopbackRig.AGENT);
    InetSocketAddress elsewhere = new InetSocketAddress("203.0.113.5", 999);
    rig.upFrom = elsewhere;
    rig.probe();
    rig.receive(rig.snapt, rig.up.remove());
    assertThat(rig.snapt.binding()).isEqualTo(LoopbackRig.AGENT);
    rig.drain(rig.snapt);
    rig.deliver(); // challenge and its response
    assertThat(rig.snapt.binding()).isEqualTo(elsewhere);
    rig.offer(rig.snapt, PacketForge.udp(to.reversed(), bytes(100)));
    rig.passDeadline(rig.snapt);
    assertThat(rig.downTo).isEqualTo(elsewhere);
  }

  @Test
  void tcpEndsTwoSecondsAfterBothFins() {
    Endpoints to = Endpoints.ipv4(5000, 7, 80);
    rig.open(PacketForge.tcp(to, 1, 0x11, bytes(0)));
    rig.offer(rig.snapt, PacketForge.tcp(to.reversed(), 1, 0x11, bytes(0)));
    rig.send(rig.snapt);
    rig.deliver();
    rig.advance(1_000_000_000L);
    assertThat(rig.ended).isEmpty();
    rig.advance(12_000_000_000L);
    assertThat(rig.ended).hasSize(2).first().asString().startsWith("1 FINISHED");
    assertThat(rig.agent.flows().size() + rig.snapt.flows().size()).isZero();
  }

  @Test
  void theSnaptKeepsAnEndedFlowUntilTheDevicesFinalStatisticsArrive() {
    Endpoints to = Endpoints.ipv4(5000, 7, 80);
    rig.open(PacketForge.tcp(to, 1, 0x11, bytes(0)));
    rig.offer(rig.snapt, PacketForge.tcp(to.reversed(), 1, 0x11, bytes(0)));
    rig.send(rig.snapt);
    rig.deliver();
    FlowState atSnapt = rig.snapt.flows().byId(1);
    rig.advance(12_000_000_000L);
    assertThat(rig.ended).containsExactly("1 FINISHED", "1 PEER_ENDED");
    assertThat(atSnapt.peer().heardNs() - atSnapt.lastNs())
        .as("datagrams in flight have arrived before")
        .isGreaterThan(1_000_000_000L);
  }

  @Test
  void theSnaptEndsAFlowByItselfIfTheDeviceSaysNothing() {
    Endpoints to = Endpoints.ipv4(5000, 7, 80);
    rig.open(PacketForge.tcp(to, 1, 0x11, bytes(0)));
    rig.offer(rig.snapt, PacketForge.tcp(to.reversed(), 1, 0x11, bytes(0)));
    rig.agent.close();
    rig.advance(11_000_000_000L);
    assertThat(rig.snapt.flows().size()).isEqualTo(1);
    rig.advance(3_000_000_000L);
    assertThat(rig.ended).containsExactly("1 SESSION_CLOSED", "1 FINISHED");
  }

  @Test
  void anIdleUdpFlowEndsAfterAMinuteAtBothEnds() {
    rig.open(PacketForge.udp(Endpoints.ipv4(5000, 7, 53), bytes(10)));
    rig.advance(50_000_000_000L);
    assertThat(rig.ended).isEmpty();
    rig.advance(30_000_000_000L);
    assertThat(rig.ended).hasSize(2);
    assertThat(rig.agent.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(rig.snapt.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aFlowThatTheRelayLostIsOpenedAgain() {
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    rig.open(PacketForge.udp(to, bytes(10)));
    rig.snapt.flows().end(rig.atSnapt.getFirst().flow(), FlowEnd.IDLE, 0);
    // elided: lost, and FLOW_UNKNOWN comes back
    rig.offer(rig.agent, PacketForge.udp(to, bytes(10)));
    rig.passDeadline(rig.agent);
    rig.deliver();
    assertThat(LoopbackRig.count(rig.snapt, Verdict.UNKNOWN_FLOW)).isEqualTo(1);
    rig.advance(20_000_000);
    int before = rig.atSnapt.size();
    rig.open(PacketForge.udp(to, bytes(10)));
    rig.passDeadline(rig.agent);
    rig.deliver();
    assertThat(rig.atSnapt).hasSize(before + 1);
  }

  @Test
  void aFullQueueRefusesPacketsOfItsClassOnly() {
    rig.serviceClass = ServiceClass.LT_LD;
    Endpoints to = Endpoints.ipv4(5000, 7, 53);
    Verdict verdict = Verdict.QUEUED;
    for (int i = 0; i < 1000 && verdict == Verdict.QUEUED; i++) {
      verdict = rig.offer(rig.agent, PacketForge.udp(to, bytes(1200)));
    }
    assertThat(verdict).isEqualTo(Verdict.QUEUE_FULL_LT_LD);
    rig.serviceClass = ServiceClass.HT_HD;
    assertThat(rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(1, 1, 1), bytes(1200))))
        .isEqualTo(Verdict.QUEUED);
  }

  @Test
  void bytesThatAreNoPacketOrTooBigAreRefused() {
    assertThat(rig.offer(rig.agent, new byte[60])).isEqualTo(Verdict.NOT_IP);
    byte[] packet = PacketForge.udp(Endpoints.ipv4(1, 1, 1), bytes(1500));
    assertThat(rig.offer(rig.agent, packet)).isEqualTo(Verdict.PACKET_TOO_BIG);
    byte[] most =
        PacketForge.udp(Endpoints.ipv4(1, 1, 1), bytes(rig.agent.terms().limits().tunMtu() - 28));
    assertThat(rig.offer(rig.agent, most)).isEqualTo(Verdict.QUEUED);
  }

  @Test
  void nothingIsSentWhileTheSinkIsFull() {
    rig.offer(rig.agent, PacketForge.tcp(Endpoints.ipv4(1, 1, 1), 1, 0x10, bytes(100)));
    rig.writable = false;
    rig.send(rig.agent);
    assertThat(rig.up).isEmpty();
    rig.writable = true;
    rig.drain(rig.agent);
    assertThat(rig.up).hasSize(1);
  }

  @Test
  void textIsCompressedWithItsOwnHostOnly() {
    for (CompressionContext context : CompressionContext.values()) {
      try (LoopbackRig own = new LoopbackRig(TestSettings.of(context))) {
        int[] sizes = new int[2];
        for (int round = 0; round < 2; round++) {
          for (int host = 1; host <= 2; host++) {
            own.offer(
                own.agent,
                PacketForge.tcp(Endpoints.ipv4(9, host, 80), 1 + round * 200, 0x10, secretText()));
          }
          own.send(own.agent);
          sizes[round] = own.up.stream().mapToInt(d -> d.length).sum();
          own.deliver();
          own.advance(10_000_000);
        }
        int twice = sizes[1];
        switch (context) {
          case DEVICE -> assertThat(twice).isLessThan(330); // the second host's copy costs nothing
          case REMOTE_HOST, OFF -> assertThat(twice).isGreaterThan(400);
        }
      }
    }
  }

  private static byte[] secretText() {
    byte[] once = new byte[200];
    new Random(5).nextBytes(once);
    return once;
  }

  @Test
  void manyChangedFlowsAreReportedWithinTwoSecondsWithoutSpinning() {
    for (int i = 0; i < 500; i++) {
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(1000 + i, 7, 53), bytes(20)));
      rig.send(rig.agent);
    }
    rig.deliver();
    int ticks = 0;
    long endNs = rig.nowNs + 2_500_000_000L;
    while (rig.nowNs < endNs) {
      rig.nowNs = Math.max(rig.nowNs, Math.min(endNs, rig.agent.nextDeadlineNs()));
      rig.agent.onTick(rig.nowNs);
      rig.drain(rig.agent);
      rig.deliver();
      assertThat(ticks++).isLessThan(200);
    }
    rig.snapt.flows().forEach(flow -> assertThat(flow.peer().sentPackets()).isEqualTo(1));
    assertThat(rig.snapt.flows().size()).isEqualTo(500);
  }

  @Test
  void aSocketThatIsNeverWritableNeitherSpinsNorGrows() {
    rig.writable = false;
    for (int i = 0; i < 2000; i++) {
      rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(1000 + i, 7, 53), bytes(20)));
      rig.agent.flushBatch(rig.nowNs);
    }
    for (int i = 0; i < 1000; i++) {
      rig.nowNs += 10_000_000;
      rig.agent.onTick(rig.nowNs);
    }
    assertThat(rig.agent.queuedBytes(ServiceClass.LT_LD)).isLessThanOrEqualTo(1 << 18);
    assertThat(rig.agent.nextDeadlineNs()).isGreaterThanOrEqualTo(rig.nowNs);
  }

  @Test
  void packetsOfAHeldFlowAreRefusedUntilItIsReleased() {
    byte[] packet = PacketForge.udp(Endpoints.ipv4(5000, 7, 53), bytes(60));
    rig.open(packet);
    FlowState flow = rig.atSnapt.getFirst().flow();
    byte[] answer = PacketForge.udp(Endpoints.ipv4(5000, 7, 53).reversed(), bytes(60));
    flow.hold(true);
    assertThat(rig.offer(rig.snapt, answer)).isEqualTo(Verdict.FLOW_HELD);
    assertThat(flow.sent().packets()).isZero();
    flow.hold(false);
    assertThat(rig.offer(rig.snapt, answer)).isEqualTo(Verdict.QUEUED);
  }
}
