package io.viaduct.tunnel.restore;

import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.HeaderContext;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;

/// Rebuilds IP, UDP and TCP headers from a flow, its context and a record. Transport checksums stay
/// partial: the field holds the folded sum of the pseudo header.
final class HeaderWriter {
  static final int HEADERS_MAX = IpFields.IPV6_HEADER + 60;

  private HeaderWriter() {}

  static int ipHeaderBytes(long context) {
    return HeaderContext.isIpv4(context) ? IpFields.IPV4_HEADER : IpFields.IPV6_HEADER;
  }

  /// Writes an IP header. @return bytes written
  static int ip(
      byte[] to,
      FlowState flow,
      long context,
      int ecn,
      int transportBytes,
      boolean fromDevice,
      int identification) {
    int trafficClass = HeaderContext.dscp(context) << 2 | ecn;
    if (!HeaderContext.isIpv4(context)) {
      BigEndian.putInt(to, 0, 6 << 28 | trafficClass << 20 | HeaderContext.flowLabel(context));
      BigEndian.putShort(to, IpFields.IPV6_PAYLOAD_LENGTH, transportBytes);
      to[IpFields.IPV6_NEXT_HEADER] = (byte) flow.protocol();
      to[IpFields.IPV6_HOP_LIMIT] = (byte) HeaderContext.hops(context);
      BigEndian.putLong(
          to, IpFields.IPV6_SOURCE, fromDevice ? flow.deviceHigh() : flow.remoteHigh());
      BigEndian.putLong(
          to, IpFields.IPV6_SOURCE + Long.BYTES, fromDevice ? flow.deviceLow() : flow.remoteLow());
      BigEndian.putLong(
          to, IpFields.IPV6_DESTINATION, fromDevice ? flow.remoteHigh() : flow.deviceHigh());
      BigEndian.putLong(
          to,
          IpFields.IPV6_DESTINATION + Long.BYTES,
          fromDevice ? flow.remoteLow() : flow.deviceLow());
      return IpFields.IPV6_HEADER;
    }
    to[0] = 0x45;
    to[1] = (byte) trafficClass;
    BigEndian.putShort(to, IpFields.IPV4_TOTAL_LENGTH, IpFields.IPV4_HEADER + transportBytes);
    BigEndian.putShort(to, IpFields.IPV4_IDENTIFICATION, identification);
    BigEndian.putShort(
        to,
        IpFields.IPV4_FRAGMENT,
        HeaderContext.dontFragment(context) ? IpFields.DONT_FRAGMENT : 0);
    to[IpFields.IPV4_TTL] = (byte) HeaderContext.hops(context);
    to[IpFields.IPV4_PROTOCOL] = (byte) flow.protocol();
    BigEndian.putShort(to, IpFields.IPV4_CHECKSUM, 0);
    BigEndian.putInt(
        to, IpFields.IPV4_SOURCE, (int) (fromDevice ? flow.deviceLow() : flow.remoteLow()));
    BigEndian.putInt(
        to, IpFields.IPV4_DESTINATION, (int) (fromDevice ? flow.remoteLow() : flow.deviceLow()));
    BigEndian.putShort(
        to,
        IpFields.IPV4_CHECKSUM,
        InternetChecksum.of(InternetChecksum.sum(to, 0, IpFields.IPV4_HEADER, 0)));
    return IpFields.IPV4_HEADER;
  }

  private static void ports(byte[] to, int at, FlowState flow, boolean fromDevice) {
    BigEndian.putShort(
        to, at + IpFields.SOURCE_PORT, fromDevice ? flow.devicePort() : flow.remotePort());
    BigEndian.putShort(
        to, at + IpFields.DESTINATION_PORT, fromDevice ? flow.remotePort() : flow.devicePort());
  }

  private static int pseudo(FlowState flow, long context, int transportBytes) {
    boolean ipv4 = HeaderContext.isIpv4(context);
    long sum =
        InternetChecksum.address(flow.deviceHigh(), flow.deviceLow(), ipv4)
            + InternetChecksum.address(flow.remoteHigh(), flow.remoteLow(), ipv4)
            + flow.protocol()
            + transportBytes;
    return InternetChecksum.fold(sum);
  }

  /// Writes a UDP header. @return bytes written
  static int udp(byte[] to, int at, FlowState flow, long context, int payload, boolean fromDevice) {
    ports(to, at, flow, fromDevice);
    BigEndian.putShort(to, at + IpFields.UDP_LENGTH, IpFields.UDP_HEADER + payload);
    boolean none = HeaderContext.udpWithoutChecksum(context);
    int checksum = none ? 0 : pseudo(flow, context, IpFields.UDP_HEADER + payload);
    BigEndian.putShort(to, at + IpFields.UDP_CHECKSUM, checksum);
    return IpFields.UDP_HEADER;
  }

  /// Writes a TCP header.
  ///
  /// @param options array with the options that `tcp` points to
  /// @return bytes written
  static int tcp(
      byte[] to,
      int at,
      FlowState flow,
      long context,
      TcpFields tcp,
      byte[] options,
      int payload,
      boolean fromDevice) {
    int bytes = tcp.headerBytes();
    ports(to, at, flow, fromDevice);
    BigEndian.putInt(to, at + IpFields.TCP_SEQUENCE, tcp.sequence());
    BigEndian.putInt(to, at + IpFields.TCP_ACKNOWLEDGEMENT, tcp.acknowledgement());
    to[at + IpFields.TCP_DATA_OFFSET] = (byte) (bytes >>> 2 << 4 | (tcp.hasAccurateEcn() ? 1 : 0));
    to[at + IpFields.TCP_FLAGS] = (byte) tcp.flags();
    BigEndian.putShort(to, at + IpFields.TCP_WINDOW, tcp.window());
    BigEndian.putShort(to, at + IpFields.TCP_CHECKSUM, pseudo(flow, context, bytes + payload));
    BigEndian.putShort(to, at + IpFields.TCP_URGENT, tcp.urgent());
    if (tcp.hasTimestamps()) {
      BigEndian.putInt(to, at + IpFields.TCP_HEADER, IpFields.TIMESTAMPS_OPTION);
      BigEndian.putLong(to, at + IpFields.TCP_HEADER + Integer.BYTES, tcp.timestamps());
    } else if (tcp.optionsBytes() > 0) {
      System.arraycopy(options, tcp.optionsAt(), to, at + IpFields.TCP_HEADER, tcp.optionsBytes());
    }
    return bytes;
  }

  /// Changes the headers of the first TCP segment into those of the superpacket.
  static void grow(
      byte[] to, int ipBytes, FlowState flow, long context, int transportBytes, int flags) {
    growIp(to, ipBytes, context, transportBytes);
    to[ipBytes + IpFields.TCP_FLAGS] = (byte) flags;
    BigEndian.putShort(to, ipBytes + IpFields.TCP_CHECKSUM, pseudo(flow, context, transportBytes));
  }

  /// Changes the headers of the first UDP datagram into those of the superpacket.
  static void growDatagram(
      byte[] to, int ipBytes, FlowState flow, long context, int transportBytes) {
    growIp(to, ipBytes, context, transportBytes);
    BigEndian.putShort(to, ipBytes + IpFields.UDP_LENGTH, transportBytes);
    BigEndian.putShort(to, ipBytes + IpFields.UDP_CHECKSUM, pseudo(flow, context, transportBytes));
  }

  private static void growIp(byte[] to, int ipBytes, long context, int transportBytes) {
    if (HeaderContext.isIpv4(context)) {
      BigEndian.putShort(to, IpFields.IPV4_TOTAL_LENGTH, ipBytes + transportBytes);
      BigEndian.putShort(to, IpFields.IPV4_CHECKSUM, 0);
      BigEndian.putShort(
          to, IpFields.IPV4_CHECKSUM, InternetChecksum.of(InternetChecksum.sum(to, 0, ipBytes, 0)));
    } else {
      BigEndian.putShort(to, IpFields.IPV6_PAYLOAD_LENGTH, transportBytes);
    }
  }
}
