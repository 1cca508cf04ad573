package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// Builds the headers of the packet that the socket of a flow at this device would send next, for
/// answers to it: they quote it, or follow from its fields. Its checksums are zero. Owner: the data
/// path's event loop.
final class NextPacket {
  private static final int ECHO_IPV4 = 8 << 24;
  private static final int ECHO_IPV6 = 128 << 24;
  private static final int WORDS = IpFields.TCP_HEADER / Integer.BYTES;

  private final ByteBuf buffer =
      ByteBufAllocator.DEFAULT.directBuffer(IpFields.IPV6_HEADER + IpFields.TCP_HEADER);
  private final IpPacket packet = new IpPacket();

  /// Returns the packet, which is valid until the next call.
  IpPacket of(FlowState flow, TcpSide tcp) {
    boolean tells = flow.protocol() == IpFields.TCP;
    int transport = tells ? IpFields.TCP_HEADER : IpFields.UDP_HEADER;
    int header = flow.isIpv4() ? ipv4(flow, transport) : ipv6(flow, transport);
    if (tells) {
      ports(flow, header);
      tcp(tcp, header);
    } else if (flow.protocol() == IpFields.ICMP || flow.protocol() == IpFields.ICMPV6) {
      buffer.setInt(header, flow.isIpv4() ? ECHO_IPV4 : ECHO_IPV6);
      buffer.setInt(header + Integer.BYTES, flow.devicePort() << 16);
    } else {
      ports(flow, header);
      buffer.setInt(header + IpFields.UDP_LENGTH, transport << 16);
    }
    return packet.set(buffer, 0, header + transport);
  }

  private void ports(FlowState flow, int at) {
    buffer.setShort(at + IpFields.SOURCE_PORT, flow.devicePort());
    buffer.setShort(at + IpFields.DESTINATION_PORT, flow.remotePort());
  }

  private void tcp(TcpSide tcp, int at) {
    buffer.setInt(at + IpFields.TCP_SEQUENCE, tcp.sequence());
    buffer.setInt(at + IpFields.TCP_ACKNOWLEDGEMENT, tcp.acknowledgement());
    buffer.setByte(at + IpFields.TCP_DATA_OFFSET, WORDS << 4);
    buffer.setByte(at + IpFields.TCP_FLAGS, tcp.acknowledges() ? IpFields.ACK : IpFields.SYN);
    buffer.setShort(at + IpFields.TCP_WINDOW, 0);
    buffer.setInt(at + IpFields.TCP_CHECKSUM, 0);
  }

  private int ipv4(FlowState flow, int transport) {
    buffer.setInt(0, 0x4500_0000 | IpFields.IPV4_HEADER + transport);
    buffer.setInt(IpFields.IPV4_IDENTIFICATION, 0);
    buffer.setInt(IpFields.IPV4_TTL, 64 << 24 | flow.protocol() << 16);
    buffer.setInt(IpFields.IPV4_SOURCE, (int) flow.deviceLow());
    buffer.setInt(IpFields.IPV4_DESTINATION, (int) flow.remoteLow());
    return IpFields.IPV4_HEADER;
  }

  private int ipv6(FlowState flow, int transport) {
    buffer.setInt(0, 0x6000_0000);
    buffer.setShort(IpFields.IPV6_PAYLOAD_LENGTH, transport);
    buffer.setShort(IpFields.IPV6_NEXT_HEADER, flow.protocol() << 8 | 64);
    buffer.setLong(IpFields.IPV6_SOURCE, flow.deviceHigh());
    buffer.setLong(IpFields.IPV6_SOURCE + Long.BYTES, flow.deviceLow());
    buffer.setLong(IpFields.IPV6_DESTINATION, flow.remoteHigh());
    buffer.setLong(IpFields.IPV6_DESTINATION + Long.BYTES, flow.remoteLow());
    return IpFields.IPV6_HEADER;
  }

  /// Releases the memory.
  void close() {
    buffer.release();
  }
}
