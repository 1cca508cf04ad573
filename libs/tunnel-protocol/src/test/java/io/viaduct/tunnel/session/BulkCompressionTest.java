package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.ServiceClass;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A stream of text in superpackets that sometimes waits for its link. At this rate any codec other
/// than LZ4 would take more than its share of a core. LZ4 itself takes more than the share that
/// would allow it again.
class BulkCompressionTest {
  private static final int SEGMENT = 1_380;
  private static final int SEGMENTS = 46;
  private static final long EVERY_NS = 330_000; // 192 MB/s
  private static final int SUPERPACKETS = 2_000;
  private static final int SETTLED = 1_400;
  private static final Endpoints TO = Endpoints.ipv4(5000, 7, 80);

  private final LoopbackRig rig = new LoopbackRig();

  @AfterEach
  void close() {
    rig.close();
  }

  private long compressions() {
    return rig.memory.compounds.compressions();
  }

  /// Sends one superpacket after the other, for some hundred milliseconds.
  private void stream(Endpoints to, byte[] packet, int superpackets, boolean waits) {
    rig.open(PacketForge.tcp(to, 1, PacketForge.ACK, new byte[10]));
    for (int i = 0; i < superpackets; i++) {
      rig.nowNs += EVERY_NS;
      rig.writable = !waits || i % 50 != 0;
      rig.offer(rig.agent, packet, SEGMENT, true);
      rig.send(rig.agent);
      rig.deliver();
    }
  }

  @Test
  void uncompressedSuperpacketsStillCountAsOfferedToTheCodec() {
    rig.serviceClass = ServiceClass.HT_HD;
    byte[] text = SpeedCheck.superpacket(SEGMENT * SEGMENTS, true);
    stream(TO, text, SETTLED, true);
    long settled = compressions();
    assertThat(settled).isPositive();
    stream(TO, text, SUPERPACKETS - SETTLED, true);
    assertThat(compressions()).isEqualTo(settled);
  }

  @Test
  void aBurstOfOneClassLeavesTheCodecToTheOthers() {
    rig.serviceClass = ServiceClass.HT_HD;
    stream(TO, SpeedCheck.superpacket(SEGMENT * SEGMENTS, true), SUPERPACKETS, false);
    long before = compressions();
    rig.serviceClass = ServiceClass.LT_LD;
    rig.open(PacketForge.udp(Endpoints.ipv4(5001, 8, 5060), SpeedCheck.text(500)));
    assertThat(compressions()).isGreaterThan(before);
  }

  @Test
  void aStreamThatBecomesTextIsCompressedAgain() {
    rig.serviceClass = ServiceClass.HT_HD;
    int payload = SEGMENT * 20; // no burst
    rig.open(PacketForge.tcp(TO, 1, PacketForge.ACK, new byte[10]));
    slowly(SpeedCheck.superpacket(payload, false), 50);
    long before = compressions();
    slowly(SpeedCheck.superpacket(payload, true), 400);
    assertThat(compressions()).isGreaterThan(before + 100);
  }

  private void slowly(byte[] packet, int superpackets) {
    for (int i = 0; i < superpackets; i++) {
      rig.nowNs += 20_000_000;
      rig.offer(rig.agent, packet, SEGMENT, true);
      rig.send(rig.agent);
      rig.deliver();
    }
  }
}
