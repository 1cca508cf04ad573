package io.viaduct.snapt.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.viaduct.snapt.PacketText;
import io.viaduct.tunnel.wire.IpPacket;
import org.junit.jupiter.api.Test;

class SegmentsTest {
  private static Segments tcp(String from, String to, int payload, int gsoSize) {
    byte[] transport = new byte[32 + payload];
    transport[12] = (byte) 0x80;
    byte[] packet = PacketText.packet(from, to, 6, transport);
    ByteBuf buffer = PacketText.buffer(packet, 0);
    try {
      return Segments.of(new IpPacket().set(buffer, 0, packet.length, gsoSize, true));
    } finally {
      buffer.release();
    }
  }

  @Test
  void aSuperpacketIsAsManyPacketsAsItHasSegmentsEachWithHeaders() {
    assertThat(tcp("10.64.0.2", "203.0.113.7", 4_000, 1_000))
        .isEqualTo(new Segments(4, 4 * (20 + 32 + 1_000)));
    assertThat(tcp("fd00::2", "2001:db8::7", 4_001, 1_000))
        .isEqualTo(new Segments(5, 4 * (40 + 32 + 1_000) + 40 + 32 + 1));
  }

  @Test
  void aPlainPacketIsOne() {
    assertThat(tcp("10.64.0.2", "203.0.113.7", 4_000, 0)).isEqualTo(new Segments(1, 4_052));
    assertThat(tcp("10.64.0.2", "203.0.113.7", 0, 1_000)).isEqualTo(new Segments(1, 52));
  }
}
