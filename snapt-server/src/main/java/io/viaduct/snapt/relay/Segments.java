package io.viaduct.snapt.relay;

import io.netty.buffer.ByteBuf;

/// A TCP or UDP superpacket as the packets that it stands for on a wire, each with headers of its
/// own; the tunnel has counted them one by one.
///
/// @param packets 1 for a plain packet
/// @param bytes of all of them, IP headers included
record Segments(int packets, int bytes) {
  private static final int UDP = 17;
  private static final int UDP_HEADER_BYTES = 8;
  private static final int IPV6_HEADER_BYTES = 40;

  /// @param ip index of the IP header
  /// @param length of the superpacket
  /// @param gsoSize payload bytes of a segment, 0 for a plain packet
  static Segments of(ByteBuf packet, int ip, int length, int gsoSize) {
    int headers = gsoSize == 0 ? length : headerBytes(packet, ip, length);
    int payload = length - headers;
    if (payload <= 0) {
      return new Segments(1, length);
    }
    int packets = (payload + gsoSize - 1) / gsoSize;
    return new Segments(packets, payload + packets * headers);
  }

  // Superpackets have neither IPv6 extension headers nor are they fragments.
  private static int headerBytes(ByteBuf packet, int ip, int length) {
    boolean ipv6 = (packet.getByte(ip) >>> 4 & 0xf) == 6;
    int transport = ipv6 ? IPV6_HEADER_BYTES : (packet.getByte(ip) & 0xf) * 4;
    int protocol = packet.getUnsignedByte(ip + (ipv6 ? 6 : 9));
    if (protocol == UDP) {
      return transport + UDP_HEADER_BYTES;
    }
    return transport + 12 < length
        ? transport + (packet.getByte(ip + transport + 12) >>> 4 & 0xf) * 4
        : length;
  }
}
