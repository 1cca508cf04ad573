package io.viaduct.tunnel.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpPacket;
import org.junit.jupiter.api.Test;

class CongestionMarkTest {
  private static ByteBuf bytes(String hex) {
    return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
  }

  private static IpPacket packet(ByteBuf bytes) {
    return new IpPacket().set(bytes, 0, bytes.readableBytes());
  }

  @Test
  void anIpv4HeaderKeepsARightChecksum() {
    ByteBuf packet = bytes("4502001e123440004011f40f0a4d0002c6336407");
    assertThat(CongestionMark.isUnderstood(packet(packet))).isTrue();
    CongestionMark.set(packet(packet));
    assertThat(packet.getByte(1)).isEqualTo((byte) 3);
    assertThat(InternetChecksum.fold(InternetChecksum.sum(packet, 0, 20, 0))).isEqualTo(0xFFFF);
  }

  @Test
  void anIpv6HeaderKeepsItsFlowLabel() {
    ByteBuf packet = bytes("60112345");
    assertThat(CongestionMark.isUnderstood(packet(packet))).isTrue();
    CongestionMark.set(packet(packet));
    assertThat(ByteBufUtil.hexDump(packet)).isEqualTo("60312345");
  }

  @Test
  void aSenderWithoutEctDoesNotUnderstandMarks() {
    assertThat(CongestionMark.isUnderstood(packet(bytes("4500001e")))).isFalse();
    assertThat(CongestionMark.isUnderstood(packet(bytes("60012345")))).isFalse();
  }
}
