package io.viaduct.snapt.relay;

import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// The number and total size of the packets that a TCP or UDP superpacket stands for. Each of them
/// has its own headers on the wire. The tunnel counts them one by one, and so must the relay.
///
/// @param packets 1 for a plain packet
/// @param bytes total size, including IP headers
record Segments(int packets, int bytes) {
  static Segments of(IpPacket packet) {
    int length = packet.length();
    int gsoSize = packet.gsoSize();
    int headers = gsoSize == 0 ? length : headerBytes(packet);
    int payload = length - headers;
    if (payload <= 0) {
      return new Segments(1, length);
    }
    int packets = (payload + gsoSize - 1) / gsoSize;
    return new Segments(packets, payload + packets * headers);
  }

  // Superpackets have no IPv6 extension headers and are never fragments.
  private static int headerBytes(IpPacket packet) {
    int transport = packet.transport() - packet.start();
    return packet.protocol() == IpFields.UDP
            || transport + IpFields.TCP_DATA_OFFSET < packet.length()
        ? transport + packet.transportHeaderBytes()
        : packet.length();
  }
}
