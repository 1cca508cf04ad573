package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;

/// Writes the TCP reset with which a host answers a segment of a connection that does not exist
/// (RFC 9293 section 3.10.7.1). The socket that has sent the segment ends at once, because the
/// reset has exactly the sequence number that it expects (RFC 5961 section 3.2).
public final class TcpReset {
  /// Bytes of the longest reset.
  public static final int BYTES_MAX = IpFields.IPV6_HEADER + IpFields.TCP_HEADER;

  private static final int HOP_LIMIT = 64;
  private static final int WORDS = IpFields.TCP_HEADER / Integer.BYTES;

  private TcpReset() {}

  /// Answers a segment as if its destination had done so.
  ///
  /// @param segment a whole TCP segment or superpacket, of the fixed IPv6 header or any IPv4 header
  /// @param to where the reset is written, apart from the segment; [#BYTES_MAX] fit
  /// @return bytes of the reset; 0 for a reset, which must not be answered, and for what is no
  ///   whole segment
  public static int answer(IpPacket segment, ByteBuf to, int at) {
    ByteBuf packet = segment.buffer();
    int tcp = segment.transport();
    if (segment.protocol() != IpFields.TCP
        || isLaterFragment(segment)
        || segment.end() - tcp < IpFields.TCP_HEADER) {
      return 0;
    }
    int flags = packet.getUnsignedByte(tcp + IpFields.TCP_FLAGS);
    int payload = segment.end() - tcp - segment.transportHeaderBytes();
    if ((flags & IpFields.RST) != 0 || payload < 0) {
      return 0;
    }
    int header = segment.isIpv4() ? ipv4(segment, to, at) : ipv6(segment, to, at);
    int reset = at + header;
    to.setShort(reset + IpFields.SOURCE_PORT, packet.getShort(tcp + IpFields.DESTINATION_PORT));
    to.setShort(reset + IpFields.DESTINATION_PORT, packet.getShort(tcp + IpFields.SOURCE_PORT));
    boolean acknowledges = (flags & IpFields.ACK) != 0;
    // = rfc9293#3.10.7.1
    // # If the ACK bit is off, sequence number zero is used,
    // # <SEQ=0><ACK=SEG.SEQ+SEG.LEN><CTL=RST,ACK>
    // # If the ACK bit is on, <SEQ=SEG.ACK><CTL=RST>
    int length =
        payload + ((flags & IpFields.SYN) != 0 ? 1 : 0) + ((flags & IpFields.FIN) != 0 ? 1 : 0);
    to.setInt(
        reset + IpFields.TCP_SEQUENCE,
        acknowledges ? packet.getInt(tcp + IpFields.TCP_ACKNOWLEDGEMENT) : 0);
    to.setInt(
        reset + IpFields.TCP_ACKNOWLEDGEMENT,
        acknowledges ? 0 : packet.getInt(tcp + IpFields.TCP_SEQUENCE) + length);
    to.setByte(reset + IpFields.TCP_DATA_OFFSET, WORDS << 4);
    to.setByte(
        reset + IpFields.TCP_FLAGS, acknowledges ? IpFields.RST : IpFields.RST | IpFields.ACK);
    to.setShort(reset + IpFields.TCP_WINDOW, 0);
    to.setInt(reset + IpFields.TCP_CHECKSUM, 0); // and no urgent pointer
    checksum(to, at, header, segment.isIpv4());
    return header + IpFields.TCP_HEADER;
  }

  private static boolean isLaterFragment(IpPacket packet) {
    return packet.isIpv4()
        && (packet.buffer().getUnsignedShort(packet.start() + IpFields.IPV4_FRAGMENT)
                & IpFields.FRAGMENT_OFFSET)
            != 0;
  }

  private static int ipv4(IpPacket of, ByteBuf to, int at) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    to.setShort(at, 0x4500);
    to.setShort(at + IpFields.IPV4_TOTAL_LENGTH, IpFields.IPV4_HEADER + IpFields.TCP_HEADER);
    to.setShort(at + IpFields.IPV4_IDENTIFICATION, 0);
    to.setShort(at + IpFields.IPV4_FRAGMENT, IpFields.DONT_FRAGMENT);
    to.setShort(at + IpFields.IPV4_TTL, HOP_LIMIT << 8 | IpFields.TCP);
    to.setShort(at + IpFields.IPV4_CHECKSUM, 0);
    to.setInt(at + IpFields.IPV4_SOURCE, packet.getInt(ip + IpFields.IPV4_DESTINATION));
    to.setInt(at + IpFields.IPV4_DESTINATION, packet.getInt(ip + IpFields.IPV4_SOURCE));
    to.setShort(
        at + IpFields.IPV4_CHECKSUM,
        InternetChecksum.of(InternetChecksum.sum(to, at, IpFields.IPV4_HEADER, 0)));
    return IpFields.IPV4_HEADER;
  }

  private static int ipv6(IpPacket of, ByteBuf to, int at) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    to.setInt(at, 0x6000_0000);
    to.setShort(at + IpFields.IPV6_PAYLOAD_LENGTH, IpFields.TCP_HEADER);
    to.setShort(at + IpFields.IPV6_NEXT_HEADER, IpFields.TCP << 8 | HOP_LIMIT);
    to.setBytes(at + IpFields.IPV6_SOURCE, packet, ip + IpFields.IPV6_DESTINATION, 16);
    to.setBytes(at + IpFields.IPV6_DESTINATION, packet, ip + IpFields.IPV6_SOURCE, 16);
    return IpFields.IPV6_HEADER;
  }

  private static void checksum(ByteBuf to, int at, int header, boolean ipv4) {
    int addresses = ipv4 ? IpFields.IPV4_SOURCE : IpFields.IPV6_SOURCE;
    long pseudo =
        InternetChecksum.sum(
            to, at + addresses, header - addresses, IpFields.TCP_HEADER + (long) IpFields.TCP);
    to.setShort(
        at + header + IpFields.TCP_CHECKSUM,
        InternetChecksum.of(InternetChecksum.sum(to, at + header, IpFields.TCP_HEADER, pseudo)));
  }
}
