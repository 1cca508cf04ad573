package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.InternetChecksum;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// Translates one session's packets, in place, between its inner addresses and its pool addresses.
/// Also translates the packet that an ICMP error quotes (RFC 5508). Ports do not change, because no
/// other session shares the pool address.
///
/// Owned by the session's event loop.
public final class AddressTranslation {
  private final AddressPool pool;
  private final InnerAddresses inner;
  private final int poolIpv4;
  private final long poolIpv6High;
  private final long poolIpv6Low;
  private final IpHeader header = new IpHeader();
  private final IpHeader quoted = new IpHeader();

  /// @param slot of the pool
  public AddressTranslation(AddressPool pool, int slot, InnerAddresses inner) {
    this(pool, pool.address(slot), inner);
  }

  /// @param pool whose addresses the session must not reach
  /// @param address of the session, of this pool or of another SNAPT's
  public AddressTranslation(AddressPool pool, PublicAddress address, InnerAddresses inner) {
    this.pool = pool;
    this.inner = inner;
    this.poolIpv4 = address.ipv4();
    this.poolIpv6High = address.ipv6High();
    this.poolIpv6Low = address.ipv6Low();
  }

  /// Translates a packet from the device to the Internet.
  public Translated outbound(IpPacket of) {
    ByteBuf packet = of.buffer();
    boolean partial = of.isChecksumPartial();
    if (!header.wrap(packet, of.start(), of.length(), false)) {
      return Translated.MALFORMED;
    }
    if (header.isRouted()) {
      return Translated.ROUTING_HEADER;
    }
    if (!inner.at(packet, header.source(), header.isIpv6())) {
      return Translated.FOREIGN_SOURCE;
    }
    if (!routable(packet)) {
      return Translated.UNROUTABLE_DESTINATION;
    }
    if (pool.ownsDestination(of)) {
      return Translated.POOL_DESTINATION;
    }
    if (header.icmpError(packet)) {
      if (!quotes(packet) || !inner.at(packet, quoted.destination(), quoted.isIpv6())) {
        return Translated.FOREIGN_ERROR;
      }
      rewriteQuoted(packet, quoted.destination(), true, partial);
    }
    rewrite(packet, header, header.source(), true, partial);
    return Translated.FORWARDED;
  }

  /// Translates a packet from the Internet that [AddressPool#slotOfDestination] assigned to this
  /// session.
  public Translated inbound(IpPacket of) {
    ByteBuf packet = of.buffer();
    boolean partial = of.isChecksumPartial();
    if (!header.wrap(packet, of.start(), of.length(), false)) {
      return Translated.MALFORMED;
    }
    if (header.isRouted()) {
      return Translated.ROUTING_HEADER;
    }
    if (!inner.has(header.isIpv6())) {
      return Translated.NO_SESSION;
    }
    if (header.icmpError(packet)) {
      if (!quotes(packet) || !poolAt(packet, quoted.source(), quoted.isIpv6())) {
        return Translated.FOREIGN_ERROR;
      }
      rewriteQuoted(packet, quoted.source(), false, partial);
    }
    rewrite(packet, header, header.destination(), false, partial);
    return Translated.FORWARDED;
  }

  /// Returns the smallest IP header length of the packet's version, in bytes. For bytes that are
  /// not an IP packet, returns `Integer.MAX_VALUE`, which no packet reaches.
  public static int headerLength(IpPacket packet) {
    return switch (packet.version()) {
      case 4 -> IpFields.IPV4_HEADER;
      case 6 -> IpFields.IPV6_HEADER;
      default -> Integer.MAX_VALUE;
    };
  }

  /// Returns true if the last translated packet is IPv6.
  public boolean isIpv6() {
    return header.isIpv6();
  }

  /// Returns the offset of the last translated packet's transport header, from its IP header.
  public int transportOffset() {
    return header.transport() - header.start();
  }

  /// Returns the offset of the last translated packet's transport checksum, from its transport
  /// header.
  public int checksumOffset() {
    return Math.max(0, header.addressedChecksum() - header.transport());
  }

  /// Returns the transport protocol number of the last translated packet.
  public int protocol() {
    return header.protocol();
  }

  /// Returns the bytes of the last translated packet's transport header and payload; 0 in a
  /// fragment after the first.
  public int transportBytes() {
    return header.hasTransport() ? header.transportLength() : 0;
  }

  /// Returns true if the last translated packet is UDP.
  public boolean isUdp() {
    return header.protocol() == IpFields.UDP;
  }

  /// Returns the TCP or UDP header length of the last translated packet, in bytes.
  public int transportHeaderLength(ByteBuf packet) {
    return isUdp()
        ? IpFields.UDP_HEADER
        : (packet.getByte(header.transport() + IpFields.TCP_DATA_OFFSET) >>> 4 & 0xf) * 4;
  }

  private boolean routable(ByteBuf packet) {
    int at = header.destination();
    int first = packet.getUnsignedByte(at);
    int second = packet.getUnsignedByte(at + 1);
    if (header.isIpv6()) {
      boolean unspecifiedOrLoopback = packet.getLong(at) == 0 && packet.getLong(at + 8) >>> 1 == 0;
      return first != 0xff && !(first == 0xfe && (second & 0xc0) == 0x80) && !unspecifiedOrLoopback;
    }
    return first != 0 && first != 127 && first < 224 && !(first == 169 && second == 254);
  }

  // The quoted packet may be cut anywhere after its IP header.
  private boolean quotes(ByteBuf packet) {
    int start = header.transport() + IpFields.ICMP_HEADER;
    return quoted.wrap(packet, start, header.transportLength() - IpFields.ICMP_HEADER, true)
        && quoted.isIpv6() == header.isIpv6();
  }

  private boolean poolAt(ByteBuf packet, int index, boolean ipv6) {
    return ipv6
        ? packet.getLong(index) == poolIpv6High && packet.getLong(index + 8) == poolIpv6Low
        : packet.getInt(index) == poolIpv4;
  }

  /// Rewrites an address of the quoted packet, and updates the ICMP checksum for all bytes that
  /// changed.
  private void rewriteQuoted(ByteBuf packet, int address, boolean outbound, boolean partial) {
    int transport = quoted.addressedChecksum();
    int ipChecksum = quoted.isIpv6() ? -1 : quoted.start() + IpFields.IPV4_CHECKSUM;
    int before = word(packet, transport) + word(packet, ipChecksum);
    int change = rewrite(packet, quoted, address, outbound, false);
    int after = word(packet, transport) + word(packet, ipChecksum);
    if (!partial) {
      int icmp = header.transport() + IpFields.ICMP_CHECKSUM;
      int changed = InternetChecksum.fold(change + InternetChecksum.change(before, after));
      packet.setShort(icmp, InternetChecksum.corrected(packet.getUnsignedShort(icmp), changed));
    }
  }

  private static int word(ByteBuf packet, int index) {
    return index < 0 ? 0 : packet.getUnsignedShort(index);
  }

  /// @return the change of the one's complement sum that the new address causes
  private int rewrite(ByteBuf packet, IpHeader of, int address, boolean outbound, boolean partial) {
    if (!of.isIpv6()) {
      int low = outbound ? poolIpv4 : inner.ipv4();
      return AddressRewrite.write(packet, of, address, 0, low, partial);
    }
    long high = outbound ? poolIpv6High : inner.ipv6High();
    long low = outbound ? poolIpv6Low : inner.ipv6Low();
    return AddressRewrite.write(packet, of, address, high, low, partial);
  }
}
