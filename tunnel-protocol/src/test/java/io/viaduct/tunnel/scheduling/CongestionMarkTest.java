package io.viaduct.tunnel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.wire.InternetChecksum;
import org.junit.jupiter.api.Test;

class CongestionMarkTest {
  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
  }

  @Test
  void anIpv4HeaderKeepsARightChecksum() {
    ByteBuf packet = bytes("4502001e123440004011f40f0a4d0002c6336407");
    assertThat(CongestionMark.understood(packet, 0)).isTrue();
    CongestionMark.set(packet, 0);
    assertThat(packet.getByte(1)).isEqualTo((byte) 3);
    assertThat(InternetChecksum.fold(InternetChecksum.sum(packet, 0, 20, 0))).isEqualTo(0xFFFF);
  }

  @Test
  void anIpv6HeaderKeepsItsFlowLabel() {
    ByteBuf packet = bytes("60112345");
    assertThat(CongestionMark.understood(packet, 0)).isTrue();
    CongestionMark.set(packet, 0);
    assertThat(ByteBufUtil.hexDump(packet)).isEqualTo("60312345");
  }

  @Test
  void withoutEctASenderDoesNotUnderstand() {
    assertThat(CongestionMark.understood(bytes("4500001e"), 0)).isFalse();
    assertThat(CongestionMark.understood(bytes("60012345"), 0)).isFalse();
  }
}
