package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;

/// Writes ICMP and ICMPv6 errors about packets, no more than 100 a second after a burst of 16,
/// unless it was made without a limit. None is written about an ICMP error, a later fragment, or a
/// packet that no single host has sent or is meant for (RFC 1122 section 3.2.2, RFC 1812 section
/// 4.3.2.7, RFC 4443 section 2.4). Owned by one event loop; allocates nothing.
public final class IcmpError {
  /// Bytes of the longest error.
  public static final int BYTES_MAX = IpFields.IPV6_MTU_MIN;

  private static final long SPACING_NS = 10_000_000;
  private static final int BURST = 16;
  private static final int IPV4_BYTES_MAX = 576; // RFC 1812 section 4.3.2.3
  private static final int HOP_LIMIT = 64;

  private static final int FRAGMENTATION_NEEDED = 0x0304_0000;
  private static final int PACKET_TOO_BIG = 0x0200_0000;
  private static final int PROHIBITED_IPV4 = 0x030D_0000; // RFC 1812 section 5.2.7.1
  private static final int PROHIBITED_IPV6 = 0x0101_0000; // RFC 4443 section 3.1

  private final long spacingNs;
  private long allowedNs = Long.MIN_VALUE / 2;

  /// Makes one with the limit.
  public IcmpError() {
    this(SPACING_NS);
  }

  private IcmpError(long spacingNs) {
    this.spacingNs = spacingNs;
  }

  /// Makes one without a limit, for errors to this host's own applications, one for each of their
  /// flows.
  public static IcmpError unlimited() {
    return new IcmpError(0);
  }

  /// Tells how large the packet may be: ICMP "fragmentation needed" (RFC 1191) or ICMPv6 "packet
  /// too big" (RFC 8201), as if the packet's destination had said so.
  ///
  /// @param mtu largest packet that fits
  /// @param to where the error is written, apart from the packet
  /// @return bytes of the error, 0 if there must be none
  public int tooBig(IpPacket packet, int mtu, ByteBuf to, int at, long nowNs) {
    boolean ipv4 = packet.isIpv4();
    int ip = packet.start();
    boolean senderCuts =
        ipv4
            ? (packet.buffer().getUnsignedShort(ip + IpFields.IPV4_FRAGMENT)
                    & IpFields.DONT_FRAGMENT)
                != 0
            : packet.length() > IpFields.IPV6_MTU_MIN;
    if (!senderCuts || !mayTell(packet, nowNs)) {
      return 0;
    }
    int source = ip + (ipv4 ? IpFields.IPV4_DESTINATION : IpFields.IPV6_DESTINATION);
    return ipv4
        ? ipv4(packet, FRAGMENTATION_NEEDED, mtu, packet.buffer(), source, to, at)
        : ipv6(
            packet,
            PACKET_TOO_BIG,
            Math.max(mtu, IpFields.IPV6_MTU_MIN),
            packet.buffer(),
            source,
            to,
            at);
  }

  /// Tells that a policy forbids the packet: "communication administratively prohibited".
  ///
  /// @param source holds the address of who refuses, of the packet's family
  /// @param sourceAt where it begins
  /// @param to where the error is written, apart from the packet; [#BYTES_MAX] fit
  /// @return bytes of the error, 0 if there must be none
  public int prohibited(
      IpPacket packet, ByteBuf source, int sourceAt, ByteBuf to, int at, long nowNs) {
    boolean ipv4 = packet.isIpv4();
    if (!ipv4 && isExtended(packet) || !mayTell(packet, nowNs)) {
      return 0;
    }
    return ipv4
        ? ipv4(packet, PROHIBITED_IPV4, 0, source, sourceAt, to, at)
        : ipv6(packet, PROHIBITED_IPV6, 0, source, sourceAt, to, at);
  }

  private boolean mayTell(IpPacket packet, long nowNs) {
    boolean mayBeTold = packet.isIpv4() ? mayBeToldIpv4(packet) : mayBeToldIpv6(packet);
    if (!mayBeTold || nowNs < allowedNs) {
      return false;
    }
    allowedNs = Math.max(allowedNs, nowNs - BURST * spacingNs) + spacingNs;
    return true;
  }

  private static boolean mayBeToldIpv4(IpPacket of) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    boolean icmp = packet.getByte(ip + IpFields.IPV4_PROTOCOL) == IpFields.ICMP;
    return (packet.getUnsignedShort(ip + IpFields.IPV4_FRAGMENT) & IpFields.FRAGMENT_OFFSET) == 0
        && isHost(packet.getUnsignedByte(ip + IpFields.IPV4_SOURCE))
        && isHost(packet.getUnsignedByte(ip + IpFields.IPV4_DESTINATION))
        && !(icmp && (of.transport() >= of.end() || isError(packet.getByte(of.transport()))));
  }

  private static boolean isHost(int firstByte) {
    return firstByte != 0 && firstByte != 127 && firstByte < 224;
  }

  // RFC 792: destination unreachable, source quench, redirect, time exceeded, parameter problem.
  private static boolean isError(int type) {
    return type == 3 || type == 4 || type == 5 || type == 11 || type == 12;
  }

  // Behind an extension header may be an error, or the rest of a packet.
  private static boolean isExtended(IpPacket packet) {
    int next = packet.protocol();
    return next == IpFields.HOP_BY_HOP
        || next == IpFields.ROUTING
        || next == IpFields.FRAGMENT
        || next == IpFields.DESTINATION_OPTIONS;
  }

  private static boolean mayBeToldIpv6(IpPacket of) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    int source = ip + IpFields.IPV6_SOURCE;
    boolean multicast =
        packet.getByte(source) == -1 || packet.getByte(ip + IpFields.IPV6_DESTINATION) == -1;
    boolean unspecified = packet.getLong(source) == 0 && packet.getLong(source + Long.BYTES) == 0;
    boolean error =
        packet.getByte(ip + IpFields.IPV6_NEXT_HEADER) == IpFields.ICMPV6
            && (of.length() <= IpFields.IPV6_HEADER
                || packet.getByte(ip + IpFields.IPV6_HEADER) >= 0);
    return !multicast && !unspecified && !error;
  }

  private static int ipv4(
      IpPacket of,
      int typeAndCode,
      int parameter,
      ByteBuf source,
      int sourceAt,
      ByteBuf to,
      int at) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    int quoted =
        Math.min(of.length(), IPV4_BYTES_MAX - IpFields.IPV4_HEADER - IpFields.ICMP_HEADER);
    int bytes = IpFields.IPV4_HEADER + IpFields.ICMP_HEADER + quoted;
    to.setShort(at, 0x45C0); // precedence 6, RFC 1812 section 4.3.2.5
    to.setShort(at + IpFields.IPV4_TOTAL_LENGTH, bytes);
    to.setInt(at + IpFields.IPV4_IDENTIFICATION, 0); // and no fragment
    to.setShort(at + IpFields.IPV4_TTL, HOP_LIMIT << 8 | IpFields.ICMP);
    to.setShort(at + IpFields.IPV4_CHECKSUM, 0);
    to.setInt(at + IpFields.IPV4_SOURCE, source.getInt(sourceAt));
    to.setInt(at + IpFields.IPV4_DESTINATION, packet.getInt(ip + IpFields.IPV4_SOURCE));
    to.setShort(
        at + IpFields.IPV4_CHECKSUM,
        InternetChecksum.of(InternetChecksum.sum(to, at, IpFields.IPV4_HEADER, 0)));
    int icmp = at + IpFields.IPV4_HEADER;
    message(typeAndCode, parameter, of, quoted, to, icmp);
    to.setShort(
        icmp + IpFields.ICMP_CHECKSUM,
        InternetChecksum.of(InternetChecksum.sum(to, icmp, IpFields.ICMP_HEADER + quoted, 0)));
    return bytes;
  }

  private static int ipv6(
      IpPacket of,
      int typeAndCode,
      int parameter,
      ByteBuf source,
      int sourceAt,
      ByteBuf to,
      int at) {
    ByteBuf packet = of.buffer();
    int ip = of.start();
    int quoted =
        Math.min(of.length(), IpFields.IPV6_MTU_MIN - IpFields.IPV6_HEADER - IpFields.ICMP_HEADER);
    int payload = IpFields.ICMP_HEADER + quoted;
    to.setInt(at, 0x6000_0000);
    to.setShort(at + IpFields.IPV6_PAYLOAD_LENGTH, payload);
    to.setShort(at + IpFields.IPV6_NEXT_HEADER, IpFields.ICMPV6 << 8 | HOP_LIMIT);
    to.setBytes(at + IpFields.IPV6_SOURCE, source, sourceAt, 16);
    to.setBytes(at + IpFields.IPV6_DESTINATION, packet, ip + IpFields.IPV6_SOURCE, 16);
    int icmp = at + IpFields.IPV6_HEADER;
    message(typeAndCode, parameter, of, quoted, to, icmp);
    long pseudo =
        InternetChecksum.sum(to, at + IpFields.IPV6_SOURCE, 32, payload + (long) IpFields.ICMPV6);
    to.setShort(
        icmp + IpFields.ICMP_CHECKSUM,
        InternetChecksum.of(InternetChecksum.sum(to, icmp, payload, pseudo)));
    return IpFields.IPV6_HEADER + payload;
  }

  /// Writes the ICMP message without its checksum: the header and the first bytes of the packet.
  private static void message(
      int typeAndCode, int parameter, IpPacket about, int quoted, ByteBuf to, int icmp) {
    to.setInt(icmp, typeAndCode);
    to.setInt(icmp + 4, parameter);
    to.setBytes(icmp + IpFields.ICMP_HEADER, about.buffer(), about.start(), quoted);
  }
}
