package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.wire.InternetChecksum;

/// Tells the sender of a packet that does not fit how large it may be: ICMP "fragmentation needed"
/// (RFC 1191) or ICMPv6 "packet too big" (RFC 8201), as if the packet's destination had said so.
/// Nothing is said of an ICMP error, of a later fragment, of what no single host has sent or is
/// meant for (RFC 1122 section 3.2.2, RFC 4443 section 2.4), and no more than 100 a second.
final class PacketTooBig {
  private static final long SPACING_NS = 10_000_000;
  private static final long BURST_NS = 16 * SPACING_NS;
  private static final int ICMP_HEADER = 8;
  private static final int IPV4_BYTES_MAX = 576; // RFC 1812 section 4.3.2.3
  private static final int HOP_LIMIT = 64;
  private static final int DF = 0x4000;
  private static final int FRAGMENT_OFFSET = 0x1FFF;

  private long allowedNs = Long.MIN_VALUE / 2;

  /// @param length of the packet; more than `mtu`
  /// @param mtu largest packet that fits
  /// @param to where the answer is written
  /// @return bytes of the answer, 0 if there must be none
  int answer(ByteBuf packet, int ip, int length, int mtu, ByteBuf to, int at, long nowNs) {
    boolean ipv4 = packet.getByte(ip) >>> 4 == 4;
    if (!mayBeTold(packet, ip, length, ipv4) || nowNs < allowedNs) {
      return 0;
    }
    allowedNs = Math.max(allowedNs, nowNs - BURST_NS) + SPACING_NS;
    return ipv4 ? ipv4(packet, ip, length, mtu, to, at) : ipv6(packet, ip, length, mtu, to, at);
  }

  private static boolean mayBeTold(ByteBuf packet, int ip, int length, boolean ipv4) {
    if (ipv4) {
      int fragment = packet.getUnsignedShort(ip + 6);
      int transport = ip + ((packet.getByte(ip) & 0xF) << 2);
      return (fragment & DF) != 0
          && (fragment & FRAGMENT_OFFSET) == 0
          && isHost(packet.getUnsignedByte(ip + 12))
          && isHost(packet.getUnsignedByte(ip + 16))
          && !(packet.getByte(ip + 9) == FlowKey.ICMP && isError(packet.getByte(transport)));
    }
    boolean multicast = packet.getByte(ip + 8) == -1 || packet.getByte(ip + 24) == -1;
    boolean error = packet.getByte(ip + 6) == FlowKey.ICMPV6 && packet.getByte(ip + 40) >= 0;
    return length > FlowKey.IPV6_MTU_MIN && !multicast && !error;
  }

  private static boolean isHost(int firstByte) {
    return firstByte != 0 && firstByte < 224;
  }

  // RFC 792: destination unreachable, source quench, redirect, time exceeded, parameter problem.
  private static boolean isError(int type) {
    return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
  }

  private static int ipv4(ByteBuf packet, int ip, int length, int mtu, ByteBuf to, int at) {
    int quoted = Math.min(length, IPV4_BYTES_MAX - FlowKey.IPV4_HEADER - ICMP_HEADER);
    int bytes = FlowKey.IPV4_HEADER + ICMP_HEADER + quoted;
    to.setShort(at, 0x45C0); // precedence 6, RFC 1812 section 4.3.2.5
    to.setShort(at + 2, bytes);
    to.setInt(at + 4, 0);
    to.setShort(at + 8, HOP_LIMIT << 8 | FlowKey.ICMP);
    to.setShort(at + 10, 0);
    to.setInt(at + 12, packet.getInt(ip + 16));
    to.setInt(at + 16, packet.getInt(ip + 12));
    to.setShort(at + 10, InternetChecksum.of(InternetChecksum.sum(to, at, FlowKey.IPV4_HEADER, 0)));
    int icmp = at + FlowKey.IPV4_HEADER;
    to.setInt(icmp, 0x0304_0000);
    to.setInt(icmp + 4, mtu);
    to.setBytes(icmp + ICMP_HEADER, packet, ip, quoted);
    to.setShort(
        icmp + 2, InternetChecksum.of(InternetChecksum.sum(to, icmp, ICMP_HEADER + quoted, 0)));
    return bytes;
  }

  private static int ipv6(ByteBuf packet, int ip, int length, int mtu, ByteBuf to, int at) {
    int quoted = Math.min(length, FlowKey.IPV6_MTU_MIN - FlowKey.IPV6_HEADER - ICMP_HEADER);
    int payload = ICMP_HEADER + quoted;
    to.setInt(at, 0x6000_0000);
    to.setShort(at + 4, payload);
    to.setShort(at + 6, FlowKey.ICMPV6 << 8 | HOP_LIMIT);
    to.setBytes(at + 8, packet, ip + 24, 16);
    to.setBytes(at + 24, packet, ip + 8, 16);
    int icmp = at + FlowKey.IPV6_HEADER;
    to.setInt(icmp, 0x0200_0000);
    to.setInt(icmp + 4, Math.max(mtu, FlowKey.IPV6_MTU_MIN));
    to.setBytes(icmp + ICMP_HEADER, packet, ip, quoted);
    long pseudo = InternetChecksum.sum(to, at + 8, 32, payload + (long) FlowKey.ICMPV6);
    to.setShort(icmp + 2, InternetChecksum.of(InternetChecksum.sum(to, icmp, payload, pseudo)));
    return FlowKey.IPV6_HEADER + payload;
  }
}
