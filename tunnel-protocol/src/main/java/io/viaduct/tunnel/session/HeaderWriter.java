package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.TcpFields;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.HeaderContext;
import io.viaduct.tunnel.wire.BigEndian;
import io.viaduct.tunnel.wire.InternetChecksum;

/// Rebuilds IP, UDP and TCP headers from a flow, its context and a record. Transport checksums are
/// left partial: the field holds the folded sum of the pseudo header.
final class HeaderWriter {
  static final int UDP_HEADER = 8;
  static final int HEADERS_MAX = FlowKey.IPV6_HEADER + 60;
  private static final int TIMESTAMPS_OPTION = 0x0101_080A;

  private HeaderWriter() {}

  static int ipHeaderBytes(long context) {
    return HeaderContext.isIpv4(context) ? FlowKey.IPV4_HEADER : FlowKey.IPV6_HEADER;
  }

  /// @return bytes written
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
      BigEndian.putShort(to, 4, transportBytes);
      to[6] = (byte) flow.protocol();
      to[7] = (byte) HeaderContext.hops(context);
      BigEndian.putLong(to, 8, fromDevice ? flow.deviceHigh() : flow.remoteHigh());
      BigEndian.putLong(to, 16, fromDevice ? flow.deviceLow() : flow.remoteLow());
      BigEndian.putLong(to, 24, fromDevice ? flow.remoteHigh() : flow.deviceHigh());
      BigEndian.putLong(to, 32, fromDevice ? flow.remoteLow() : flow.deviceLow());
      return FlowKey.IPV6_HEADER;
    }
    to[0] = 0x45;
    to[1] = (byte) trafficClass;
    BigEndian.putShort(to, 2, FlowKey.IPV4_HEADER + transportBytes);
    BigEndian.putShort(to, 4, identification);
    BigEndian.putShort(to, 6, HeaderContext.dontFragment(context) ? 0x4000 : 0);
    to[8] = (byte) HeaderContext.hops(context);
    to[9] = (byte) flow.protocol();
    BigEndian.putShort(to, 10, 0);
    BigEndian.putInt(to, 12, (int) (fromDevice ? flow.deviceLow() : flow.remoteLow()));
    BigEndian.putInt(to, 16, (int) (fromDevice ? flow.remoteLow() : flow.deviceLow()));
    BigEndian.putShort(
        to, 10, InternetChecksum.of(InternetChecksum.sum(to, 0, FlowKey.IPV4_HEADER, 0)));
    return FlowKey.IPV4_HEADER;
  }

  private static void ports(byte[] to, int at, FlowState flow, boolean fromDevice) {
    BigEndian.putShort(to, at, fromDevice ? flow.devicePort() : flow.remotePort());
    BigEndian.putShort(to, at + 2, fromDevice ? flow.remotePort() : flow.devicePort());
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

  /// @return bytes written
  static int udp(byte[] to, int at, FlowState flow, long context, int payload, boolean fromDevice) {
    ports(to, at, flow, fromDevice);
    BigEndian.putShort(to, at + 4, UDP_HEADER + payload);
    boolean none = HeaderContext.udpWithoutChecksum(context);
    BigEndian.putShort(to, at + 6, none ? 0 : pseudo(flow, context, UDP_HEADER + payload));
    return UDP_HEADER;
  }

  /// @param options array that holds the options which `tcp` points to
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
    BigEndian.putInt(to, at + 4, tcp.sequence());
    BigEndian.putInt(to, at + 8, tcp.acknowledgement());
    to[at + 12] = (byte) (bytes >>> 2 << 4 | (tcp.accurateEcn() ? 1 : 0));
    to[at + 13] = (byte) tcp.flags();
    BigEndian.putShort(to, at + 14, tcp.window());
    BigEndian.putShort(to, at + 16, pseudo(flow, context, bytes + payload));
    BigEndian.putShort(to, at + 18, tcp.urgent());
    if (tcp.hasTimestamps()) {
      BigEndian.putInt(to, at + 20, TIMESTAMPS_OPTION);
      BigEndian.putLong(to, at + 24, tcp.timestamps());
    } else if (tcp.optionsBytes() > 0) {
      System.arraycopy(options, tcp.optionsAt(), to, at + 20, tcp.optionsBytes());
    }
    return bytes;
  }

  /// Makes the headers of the first of several segments those of all of them together.
  static void grow(
      byte[] to, int ipBytes, FlowState flow, long context, int transportBytes, int flags) {
    growIp(to, ipBytes, context, transportBytes);
    to[ipBytes + 13] = (byte) flags;
    BigEndian.putShort(to, ipBytes + 16, pseudo(flow, context, transportBytes));
  }

  /// The same for UDP.
  static void growDatagram(
      byte[] to, int ipBytes, FlowState flow, long context, int transportBytes) {
    growIp(to, ipBytes, context, transportBytes);
    BigEndian.putShort(to, ipBytes + 4, transportBytes);
    BigEndian.putShort(to, ipBytes + 6, pseudo(flow, context, transportBytes));
  }

  private static void growIp(byte[] to, int ipBytes, long context, int transportBytes) {
    if (HeaderContext.isIpv4(context)) {
      BigEndian.putShort(to, 2, ipBytes + transportBytes);
      BigEndian.putShort(to, 10, 0);
      BigEndian.putShort(to, 10, InternetChecksum.of(InternetChecksum.sum(to, 0, ipBytes, 0)));
    } else {
      BigEndian.putShort(to, 4, transportBytes);
    }
  }
}
