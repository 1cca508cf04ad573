package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.pacing.Pacing;
import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.util.SplittableRandom;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionPacingTest {
  private static final int SUPERPACKET_BYTES = 60_000;

  /// At the first moment the credit leaves, and a body that could not be divided.
  @ParameterizedTest
  @CsvSource({"off, 60000, 70000", "1000000, 1, 3500", "200000000, 1, 160000"})
  void lowDelayNeverWaitsBehindASuperpacketOfASlowLine(String rate, int least, int most) {
    var rig = new LoopbackRig(TestSettings.of(Pacing.of(rate)));
    rig.serviceClass = ServiceClass.HT_HD;
    byte[] payload = new byte[SUPERPACKET_BYTES];
    new SplittableRandom(1).nextBytes(payload);
    byte[] superpacket = PacketForge.tcp(Endpoints.ipv4(1000, 1, 443), 1, PacketForge.ACK, payload);
    rig.open(PacketForge.tcp(Endpoints.ipv4(1000, 1, 443), 0, PacketForge.ACK, new byte[1]));
    assertThat(rig.offer(rig.agent, superpacket, 1_360, true)).isEqualTo(Verdict.QUEUED);
    rig.send(rig.agent);
    int sent = rig.up.stream().mapToInt(datagram -> datagram.length).sum();
    assertThat(sent).isBetween(least, most);
    rig.close();
  }

  @Test
  void anExcessPacketIsDroppedByClassAndCounted() {
    var rig = new LoopbackRig(TestSettings.of(Pacing.of("100000")));
    rig.serviceClass = ServiceClass.HT_HD;
    Verdict last = Verdict.QUEUED;
    var random = new SplittableRandom(1);
    for (int i = 0; i < 1_000 && last == Verdict.QUEUED; i++) {
      byte[] payload = new byte[1_300];
      random.nextBytes(payload);
      last = rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(1000, 1, 443), payload));
      rig.send(rig.agent);
    }
    assertThat(last).isIn(Verdict.QUEUE_FULL_HT_HD, Verdict.EARLY_HT_HD);
    assertThat(LoopbackRig.count(rig.agent, last)).isEqualTo(1);
    rig.close();
  }

  /// Sends five packets each 40 ms.
  ///
  /// @param lateNs time by which the packets of a step reach the receiver's loop later
  /// @param isBusy whether the loop was busy meanwhile
  private static boolean isPacedAfter(IntToLongFunction lateNs, boolean isBusy) {
    var rig = new LoopbackRig(TestSettings.of(Pacing.AUTO));
    rig.serviceClass = ServiceClass.HT_HD;
    var random = new SplittableRandom(1);
    for (int step = 0; step < 150; step++) {
      for (int i = 0; i < 5; i++) {
        byte[] payload = new byte[1_300];
        random.nextBytes(payload);
        rig.offer(rig.agent, PacketForge.udp(Endpoints.ipv4(1000, 1, 443), payload));
      }
      rig.send(rig.agent);
      long late = lateNs.applyAsLong(step);
      rig.nowNs += late;
      rig.snaptMemory.socketWaitNs(isBusy ? late : 0);
      rig.deliver();
      rig.nowNs += Math.max(0, 40_000_000 - late);
    }
    boolean isPaced = rig.agent.isPaced();
    rig.close();
    return isPaced;
  }

  @Test
  void aBusyReceiverIsNoQueueInThePath() {
    IntToLongFunction laterAndLater = step -> Math.max(0, step - 50) * 2_000_000L;
    assertThat(isPacedAfter(laterAndLater, false)).isTrue();
    assertThat(isPacedAfter(laterAndLater, true)).isFalse();
  }

  @Test
  void aPathThatIsLongerAtOnceIsNoQueue() {
    assertThat(isPacedAfter(step -> step < 50 ? 0 : 40_000_000, false)).isFalse();
  }

  /// Returns the number of datagrams that an end sends within 20 s while it receives a packet every
  /// 700 ms and has none to send.
  ///
  /// @param down true if the SNAPT sends the packets
  private static long answersToOneWayTraffic(boolean down) {
    var rig = new LoopbackRig();
    var random = new SplittableRandom(1);
    TunnelSession silent = down ? rig.agent : rig.snapt;
    Endpoints from = Endpoints.ipv4(1000, 1, 443);
    rig.open(PacketForge.udp(from, new byte[600]));
    long before = 0;
    for (int ms = 0; ms < 30_000; ms += 100) {
      if (ms % 700 == 0) {
        byte[] payload = new byte[600];
        random.nextBytes(payload);
        rig.offer(
            down ? rig.snapt : rig.agent, PacketForge.udp(down ? from.reversed() : from, payload));
      }
      rig.advance(100_000_000);
      rig.deliver();
      before = ms == 10_000 ? silent.totals().sentDatagrams() : before;
    }
    long sent = silent.totals().sentDatagrams() - before;
    rig.close();
    return sent;
  }

  @Test
  void aSnaptThatOnlyReceivesConfirmsArrivalsMoreOftenThanEveryFiveSeconds() {
    assertThat(answersToOneWayTraffic(false)).isBetween(5L, 6L);
  }

  @Test
  void aDeviceThatOnlyReceivesSendsOnlyItsStatisticsEveryFiveSeconds() {
    assertThat(answersToOneWayTraffic(true)).isEqualTo(4);
  }
}
