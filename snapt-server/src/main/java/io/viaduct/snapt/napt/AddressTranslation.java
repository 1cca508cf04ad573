package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.InternetChecksum;

/// Rewrites one session's packets between its inner addresses and its addresses of the pool, in
/// place; also the packet that an ICMP error quotes (RFC 5508). Ports stay as they are: the address
/// of the pool is the session's alone.
///
/// Checksums are corrected by the difference and never computed anew (RFC 1624 equation 3), so that
/// a damaged packet stays damaged. Owned by the session's event loop.
public final class AddressTranslation {
  private static final int UDP_CHECKSUM_ABSENT = 0;
  private static final int UDP_HEADER_LENGTH = 8;

  private final AddressPool pool;
  private final InnerAddresses inner;
  private final int poolIpv4;
  private final long poolIpv6High;
  private final long poolIpv6Low;
  private final IpHeader header = new IpHeader();
  private final IpHeader quoted = new IpHeader();

  /// @param slot of the pool
  public AddressTranslation(AddressPool pool, int slot, InnerAddresses inner) {
    this.pool = pool;
    this.inner = inner;
    this.poolIpv4 = (int) (pool.ipv4().low() + slot);
    this.poolIpv6High = pool.ipv6().high();
    this.poolIpv6Low = pool.ipv6().low() + slot;
  }

  /// A packet of the device, on its way to the Internet.
  ///
  /// @param ip index of the IP header
  /// @param length of the packet in bytes
  /// @param partial whether the transport checksum is the uncomplemented sum of the pseudo header
  public Translated outbound(ByteBuf packet, int ip, int length, boolean partial) {
    if (!header.wrap(packet, ip, length, false)) {
      return Translated.MALFORMED;
    }
    if (header.routed()) {
      return Translated.ROUTING_HEADER;
    }
    if (!inner.at(packet, header.source(), header.ipv6())) {
      return Translated.FOREIGN_SOURCE;
    }
    if (!routable(packet)) {
      return Translated.UNROUTABLE_DESTINATION;
    }
    if (pool.ownsDestination(packet, ip)) {
      return Translated.POOL_DESTINATION;
    }
    if (header.icmpError(packet)) {
      if (!quotes(packet) || !inner.at(packet, quoted.destination(), quoted.ipv6())) {
        return Translated.FOREIGN_ERROR;
      }
      rewriteQuoted(packet, quoted.destination(), true, partial);
    }
    rewrite(packet, header, header.source(), true, partial);
    return Translated.FORWARDED;
  }

  /// A packet of the Internet that [AddressPool#slotOfDestination] found to be this session's.
  ///
  /// @param ip index of the IP header
  /// @param length of the packet in bytes
  /// @param partial whether the transport checksum is the uncomplemented sum of the pseudo header
  public Translated inbound(ByteBuf packet, int ip, int length, boolean partial) {
    if (!header.wrap(packet, ip, length, false)) {
      return Translated.MALFORMED;
    }
    if (header.routed()) {
      return Translated.ROUTING_HEADER;
    }
    if (!inner.has(header.ipv6())) {
      return Translated.NO_SESSION;
    }
    if (header.icmpError(packet)) {
      if (!quotes(packet) || !poolAt(packet, quoted.source(), quoted.ipv6())) {
        return Translated.FOREIGN_ERROR;
      }
      rewriteQuoted(packet, quoted.source(), false, partial);
    }
    rewrite(packet, header, header.destination(), false, partial);
    return Translated.FORWARDED;
  }

  /// Bytes that the IP header of a packet has at least; no packet has as many as what is no IP
  /// packet.
  public static int headerLength(ByteBuf packet, int ip) {
    return switch (packet.getByte(ip) >>> 4 & 0xf) {
      case 4 -> IpHeader.IPV4_LENGTH_MIN;
      case 6 -> IpHeader.IPV6_LENGTH;
      default -> Integer.MAX_VALUE;
    };
  }

  /// Whether the packet that was translated last is IPv6.
  public boolean ipv6() {
    return header.ipv6();
  }

  /// Where the transport header of the packet that was translated last begins, counted from its IP
  /// header.
  public int transportOffset() {
    return header.transport() - header.start();
  }

  /// Where the transport checksum of the packet that was translated last lies, counted from its
  /// transport header.
  public int checksumOffset() {
    return Math.max(0, header.addressedChecksum() - header.transport());
  }

  /// Transport protocol of the packet that was translated last.
  public int protocol() {
    return header.protocol();
  }

  /// Bytes of the transport header and its payload of the packet that was translated last; 0 in a
  /// fragment behind the first.
  public int transportBytes() {
    return header.transportHere() ? header.transportLength() : 0;
  }

  /// Whether the packet that was translated last is UDP.
  public boolean udp() {
    return header.protocol() == IpHeader.UDP;
  }

  /// Bytes of the TCP or UDP header of the packet that was translated last.
  public int transportHeaderLength(ByteBuf packet) {
    return udp() ? UDP_HEADER_LENGTH : (packet.getByte(header.transport() + 12) >>> 4 & 0xf) * 4;
  }

  private boolean routable(ByteBuf packet) {
    int at = header.destination();
    int first = packet.getUnsignedByte(at);
    int second = packet.getUnsignedByte(at + 1);
    if (header.ipv6()) {
      boolean unspecifiedOrLoopback = packet.getLong(at) == 0 && packet.getLong(at + 8) >>> 1 == 0;
      return first != 0xff && !(first == 0xfe && (second & 0xc0) == 0x80) && !unspecifiedOrLoopback;
    }
    return first != 0 && first != 127 && first < 224 && !(first == 169 && second == 254);
  }

  // The quoted packet may be cut anywhere behind its IP header.
  private boolean quotes(ByteBuf packet) {
    int start = header.transport() + 8;
    return quoted.wrap(packet, start, header.transportLength() - 8, true)
        && quoted.ipv6() == header.ipv6();
  }

  private boolean poolAt(ByteBuf packet, int index, boolean ipv6) {
    return ipv6
        ? packet.getLong(index) == poolIpv6High && packet.getLong(index + 8) == poolIpv6Low
        : packet.getInt(index) == poolIpv4;
  }

  /// Rewrites an address of the quoted packet, and the ICMP checksum over all that changed with it.
  private void rewriteQuoted(ByteBuf packet, int address, boolean outbound, boolean partial) {
    int transport = quoted.addressedChecksum();
    int ipChecksum = quoted.ipv6() ? -1 : quoted.start() + IpHeader.IPV4_CHECKSUM;
    int before = word(packet, transport) + word(packet, ipChecksum);
    int change = rewrite(packet, quoted, address, outbound, false);
    int after = word(packet, transport) + word(packet, ipChecksum);
    if (!partial) {
      int icmp = header.transport() + 2;
      int changed = InternetChecksum.fold(change + InternetChecksum.change(before, after));
      packet.setShort(icmp, InternetChecksum.corrected(packet.getUnsignedShort(icmp), changed));
    }
  }

  private static int word(ByteBuf packet, int index) {
    return index < 0 ? 0 : packet.getUnsignedShort(index);
  }

  /// Rewrites one address and the checksums that cover it.
  ///
  /// @return the difference that the address makes to a one's complement sum
  private int rewrite(ByteBuf packet, IpHeader of, int address, boolean outbound, boolean partial) {
    int bytes = of.ipv6() ? 16 : 4;
    long before = InternetChecksum.sum(packet, address, bytes, 0);
    write(packet, address, of.ipv6(), outbound);
    int change = InternetChecksum.change(before, InternetChecksum.sum(packet, address, bytes, 0));
    if (!of.ipv6()) {
      int checksum = of.start() + IpHeader.IPV4_CHECKSUM;
      packet.setShort(
          checksum, InternetChecksum.corrected(packet.getUnsignedShort(checksum), change));
    }
    correctTransport(packet, of, change, partial);
    return change;
  }

  private void write(ByteBuf packet, int address, boolean ipv6, boolean outbound) {
    if (!ipv6) {
      packet.setInt(address, outbound ? poolIpv4 : inner.ipv4());
      return;
    }
    packet.setLong(address, outbound ? poolIpv6High : inner.ipv6High());
    packet.setLong(address + Long.BYTES, outbound ? poolIpv6Low : inner.ipv6Low());
  }

  private static void correctTransport(ByteBuf packet, IpHeader of, int change, boolean partial) {
    int index = of.addressedChecksum();
    if (index < 0) {
      return;
    }
    int checksum = packet.getUnsignedShort(index);
    if (partial) {
      packet.setShort(index, InternetChecksum.fold(checksum + change));
      return;
    }
    boolean udp = of.protocol() == IpHeader.UDP;
    if (udp && checksum == UDP_CHECKSUM_ABSENT) {
      return;
    }
    int corrected = InternetChecksum.corrected(checksum, change);
    packet.setShort(index, udp && corrected == UDP_CHECKSUM_ABSENT ? 0xffff : corrected);
  }
}
