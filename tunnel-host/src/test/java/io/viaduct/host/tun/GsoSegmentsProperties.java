package io.viaduct.host.tun;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class GsoSegmentsProperties {
  /// Cuts the slow way: each packet built from its bytes, each checksum summed from nothing.
  private static List<byte[]> cutSlowly(byte[] packet, boolean tcp, int gsoSize) {
    boolean ipv4 = packet[0] >>> 4 == 4;
    int transport = ipv4 ? 20 : 40;
    int headers = transport + (tcp ? (packet[transport + 12] >>> 4 & 0xf) * 4 : 8);
    List<byte[]> cut = new ArrayList<>();
    for (int at = headers; at < packet.length; at += gsoSize) {
      byte[] payload = Arrays.copyOfRange(packet, at, Math.min(packet.length, at + gsoSize));
      ByteBuf one = Unpooled.buffer();
      one.writeBytes(packet, 0, headers).writeBytes(payload);
      int number = cut.size();
      boolean last = at + gsoSize >= packet.length;
      if (ipv4) {
        one.setShort(2, headers + payload.length);
        one.setShort(4, one.getUnsignedShort(4) + number);
        one.setShort(10, 0);
        one.setShort(10, ChecksumProperties.slow(bytes(one, 0, 20)));
      } else {
        one.setShort(4, headers - 40 + payload.length);
      }
      int field = transport + (tcp ? 16 : 6);
      if (tcp) {
        one.setInt(transport + 4, one.getInt(transport + 4) + (at - headers));
        int flags = one.getUnsignedByte(transport + 13);
        flags = last ? flags : flags & ~0x09;
        one.setByte(transport + 13, number == 0 ? flags : flags & ~0x80);
      } else {
        one.setShort(transport + 4, 8 + payload.length);
      }
      one.setShort(field, 0);
      int l4 = one.writerIndex() - transport;
      ByteBuf summed = Unpooled.buffer();
      summed.writeBytes(bytes(one, ipv4 ? 12 : 8, ipv4 ? 8 : 32));
      summed.writeInt(l4).writeInt(tcp ? 6 : 17).writeBytes(bytes(one, transport, l4));
      int checksum = ChecksumProperties.slow(bytes(summed, 0, summed.writerIndex()));
      one.setShort(field, checksum == 0 ? 0xffff : checksum);
      cut.add(bytes(one, 0, one.writerIndex()));
    }
    return cut;
  }

  private static byte[] bytes(ByteBuf from, int start, int length) {
    return ByteBufUtil.getBytes(from, start, length);
  }

  @Property(tries = 300)
  void everySegmentIsWhatSlowCuttingYields(
      @ForAll boolean ipv4,
      @ForAll boolean tcp,
      @ForAll @IntRange(max = 10) int optionWords,
      @ForAll @IntRange(min = 1, max = 600) int gsoSize,
      @ForAll @Size(min = 1, max = 3000) byte[] payload,
      @ForAll byte flags) {
    String from = ipv4 ? "10.1.2.3" : "fd00::1:2";
    String to = ipv4 ? "203.0.113.9" : "2001:db8::9";
    ByteBuf packet =
        Packets.superpacket(from, to, tcp, tcp ? optionWords * 4 : 0, gsoSize, payload, flags);
    byte[] whole = bytes(packet, VirtioNetHeader.LENGTH, Packets.length(packet));
    List<byte[]> slow = cutSlowly(whole, tcp, gsoSize);
    GsoSegments segments = new GsoSegments();
    assertThat(segments.wrap(packet, 0, Packets.length(packet))).isTrue();
    assertThat(segments.count()).isEqualTo(slow.size());
    for (byte[] expected : slow) {
      assertThat(segments.next()).isTrue();
      ByteBuf one = Unpooled.buffer();
      one.writeZero(3 + segments.headerLength());
      segments.writeHeaders(one, 3);
      one.writeBytes(packet, segments.payloadOffset(), segments.payloadLength());
      assertThat(ByteBufUtil.hexDump(one, 3, one.writerIndex() - 3))
          .isEqualTo(ByteBufUtil.hexDump(expected));
      assertThat(TransportChecksum.verify(one, 3, segments.packetLength()))
          .isEqualTo(TransportChecksum.Verification.VALID);
    }
    assertThat(segments.next()).isFalse();
    packet.release();
  }

  @Property(tries = 300)
  void rubbishIsRefusedOrYieldsSegmentsInsideThePacket(
      @ForAll @Size(min = 12, max = 120) byte[] rubbish, @ForAll boolean plausible) {
    if (plausible && rubbish.length > 12) {
      rubbish[0] = 1;
      rubbish[1] = (byte) (1 + Math.floorMod(rubbish[1], 5));
      rubbish[12] = 0x45;
      rubbish[6] = 20;
      rubbish[7] = 0;
    }
    ByteBuf packet = Unpooled.wrappedBuffer(rubbish);
    GsoSegments segments = new GsoSegments();
    int segmentBytes = 0;
    if (segments.wrap(packet, 0, rubbish.length - 12)) {
      while (segments.next()) {
        assertThat(segments.payloadOffset()).isGreaterThanOrEqualTo(12);
        assertThat(segments.payloadOffset() + segments.payloadLength())
            .isLessThanOrEqualTo(rubbish.length);
        segmentBytes += segments.payloadLength();
        segments.writeHeaders(Unpooled.buffer().writeZero(200), 0);
      }
      assertThat(segmentBytes).isEqualTo(rubbish.length - 12 - segments.headerLength());
    }
    TransportChecksum.verify(packet, 12, rubbish.length - 12);
    TransportChecksum.complete(
        new VirtioNetHeader().wrap(packet, 0), packet, 12, rubbish.length - 12);
  }

  @Example
  void aPacketThatIsNoSuperpacketYieldsItself() {
    ByteBuf packet = Packets.superpacket("10.0.0.1", "10.0.0.2", false, 0, 0, new byte[9], 0);
    GsoSegments segments = new GsoSegments();
    assertThat(segments.wrap(packet, 0, Packets.length(packet))).isTrue();
    assertThat(segments.count()).isEqualTo(1);
    assertThat(segments.next()).isTrue();
    assertThat(segments.headerLength()).isZero();
    assertThat(segments.payloadOffset()).isEqualTo(VirtioNetHeader.LENGTH);
    assertThat(segments.packetLength()).isEqualTo(Packets.length(packet));
    packet.release();
  }

  @Property(tries = 200)
  void aPartialChecksumIsFinished(
      @ForAll boolean ipv4, @ForAll boolean tcp, @ForAll @Size(max = 300) byte[] payload) {
    String from = ipv4 ? "10.1.2.3" : "fd00::1:2";
    String to = ipv4 ? "203.0.113.9" : "2001:db8::9";
    ByteBuf packet = Packets.superpacket(from, to, tcp, 0, 0, payload, 0);
    VirtioNetHeader header = new VirtioNetHeader().wrap(packet, 0);
    int length = Packets.length(packet);
    assertThat(TransportChecksum.complete(header, packet, VirtioNetHeader.LENGTH, length)).isTrue();
    assertThat(header.needsChecksum()).isFalse();
    assertThat(TransportChecksum.verify(packet, VirtioNetHeader.LENGTH, length))
        .isEqualTo(TransportChecksum.Verification.VALID);
    packet.setByte(packet.writerIndex() - 1, packet.getByte(packet.writerIndex() - 1) ^ 1);
    assertThat(TransportChecksum.verify(packet, VirtioNetHeader.LENGTH, length))
        .isNotEqualTo(TransportChecksum.Verification.VALID);
    packet.release();
  }
}
