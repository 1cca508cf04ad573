package io.viaduct.tunnel.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.session.PacketForge.Endpoints;
import io.viaduct.tunnel.wire.ServiceClass;
import org.junit.jupiter.api.Test;

/// A stream of text in superpackets that waits for its line now and then. Any codec beside LZ4
/// would take more than its share of a core at this rate, and LZ4 more than what lets it come in.
class BulkCompressionTest {
  private static final int SEGMENT = 1_380;
  private static final int SEGMENTS = 46;
  private static final long EVERY_NS = 330_000; // 192 MB/s
  private static final int SUPERPACKETS = 2_000;
  private static final int SETTLED = 1_400;

  @Test
  void superpacketsThatAreNotCompressedCountAsWhatIsInThem() {
    try (LoopbackRig rig = new LoopbackRig()) {
      rig.serviceClass = ServiceClass.HT_HD;
      rig.open(PacketForge.tcp(Endpoints.ipv4(5000, 7, 80), 1, PacketForge.ACK, new byte[10]));
      byte[] text = SpeedCheck.superpacket(SEGMENT * SEGMENTS, true);
      long settled = 0;
      for (int i = 0; i < SUPERPACKETS; i++) {
        rig.nowNs += EVERY_NS;
        rig.writable = i % 50 != 0;
        rig.offer(rig.agent, text, SEGMENT, true);
        rig.send(rig.agent);
        rig.deliver();
        settled = i == SETTLED ? rig.memory.compounds.compressions() : settled;
      }
      assertThat(rig.memory.compounds.compressions()).isEqualTo(settled);
    }
  }
}
