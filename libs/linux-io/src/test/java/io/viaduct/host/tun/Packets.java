package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.viaduct.tunnel.wire.InternetChecksum;
import java.net.InetAddress;
import java.net.UnknownHostException;

/// Builds packets field by field for tests, each after its virtio-net header.
final class Packets {
  private Packets() {}

  static byte[] address(String text) {
    try {
      return InetAddress.getByName(text).getAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /// Returns a superpacket in the kernel's form: total lengths and a partial checksum.
  static ByteBuf superpacket(
      String from, String to, boolean tcp, int options, int gsoSize, byte[] payload, int flags) {
    byte[] source = address(from);
    boolean ipv4 = source.length == 4;
    int ipLength = ipv4 ? 20 : 40;
    int transportLength = tcp ? 20 + options : 8;
    int l4 = transportLength + payload.length;
    ByteBuf packet = Unpooled.directBuffer(VirtioNetHeader.LENGTH + ipLength + l4);
    packet.writeZero(VirtioNetHeader.LENGTH);
    int ip = packet.writerIndex();
    int protocol = tcp ? 6 : 17;
    if (ipv4) {
      packet.writeByte(0x45).writeByte(0).writeShort(ipLength + l4);
      packet.writeShort(0xfffe).writeShort(0x4000).writeByte(64).writeByte(protocol).writeShort(0);
    } else {
      packet.writeInt(0x6012_3456).writeShort(l4).writeByte(protocol).writeByte(64);
    }
    packet.writeBytes(source).writeBytes(address(to));
    if (ipv4) {
      packet.setShort(ip + 10, InternetChecksum.of(InternetChecksum.sum(packet, ip, ipLength, 0)));
    }
    packet.writeShort(4000).writeShort(5000);
    if (tcp) {
      packet.writeInt(0xffff_f000).writeInt(77);
      packet.writeByte((20 + options) / 4 << 4).writeByte(flags).writeShort(1000);
      packet.writeShort(0).writeShort(0).writeZero(options);
    } else {
      packet.writeShort(l4).writeShort(0);
    }
    packet.writeBytes(payload);
    int pair = 2 * source.length;
    long pseudo = InternetChecksum.sum(packet, ip + ipLength - pair, pair, protocol + l4);
    packet.setShort(ip + ipLength + (tcp ? 16 : 6), InternetChecksum.fold(pseudo));
    int type =
        tcp
            ? ipv4 ? VirtioNetHeader.GSO_TCPV4 : VirtioNetHeader.GSO_TCPV6
            : VirtioNetHeader.GSO_UDP_L4;
    new VirtioNetHeader()
        .wrap(packet, 0)
        .flags(VirtioNetHeader.NEEDS_CHECKSUM)
        .gsoType(gsoSize == 0 ? VirtioNetHeader.GSO_NONE : type)
        .headerLength(ipLength + transportLength)
        .gsoSize(gsoSize)
        .checksumStart(ipLength)
        .checksumOffset(tcp ? 16 : 6);
    return packet;
  }

  static int length(ByteBuf packet) {
    return packet.writerIndex() - VirtioNetHeader.LENGTH;
  }
}
