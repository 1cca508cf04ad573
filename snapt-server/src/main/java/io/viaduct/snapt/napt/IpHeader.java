package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.IpFields;

/// Locates the headers of one IPv4 or IPv6 packet (RFC 791, RFC 8200). A flyweight of one event
/// loop. Never reads beyond the given bytes.
final class IpHeader {
  private static final int EXTENSION_HEADERS_MAX = 8;

  private static final int FRAGMENT_OFFSET_IPV6 = 0xfff8;

  private boolean ipv6;
  private int start;
  private int protocol;
  private int transport;
  private int end;
  private boolean transportHere;
  private boolean routed;

  /// Locates the headers of a packet.
  ///
  /// @param ip index of the first byte
  /// @param available bytes that may be read; fewer than the packet's own length only if
  ///   `truncated`
  /// @param truncated true if the packet may have been cut, as inside an ICMP error
  /// @return false if the bytes are not an IP packet, or a header is incomplete
  boolean wrap(ByteBuf packet, int ip, int available, boolean truncated) {
    start = ip;
    routed = false;
    transportHere = true;
    if (available < IpFields.IPV4_HEADER) {
      return false;
    }
    int version = packet.getByte(ip) >>> 4 & 0xf;
    ipv6 = version == 6;
    return version == 4
        ? wrapIpv4(packet, available, truncated)
        : ipv6 && wrapIpv6(packet, available, truncated);
  }

  private boolean wrapIpv4(ByteBuf packet, int available, boolean truncated) {
    int header = (packet.getByte(start) & 0xf) * 4;
    int total = packet.getUnsignedShort(start + IpFields.IPV4_TOTAL_LENGTH);
    if (header < IpFields.IPV4_HEADER || header > available || total < header) {
      return false;
    }
    if (total > available && !truncated) {
      return false;
    }
    protocol = packet.getUnsignedByte(start + IpFields.IPV4_PROTOCOL);
    transport = start + header;
    end = start + Math.min(total, available);
    transportHere =
        (packet.getUnsignedShort(start + IpFields.IPV4_FRAGMENT) & IpFields.FRAGMENT_OFFSET) == 0;
    return true;
  }

  private boolean wrapIpv6(ByteBuf packet, int available, boolean truncated) {
    if (available < IpFields.IPV6_HEADER) {
      return false;
    }
    int total =
        IpFields.IPV6_HEADER + packet.getUnsignedShort(start + IpFields.IPV6_PAYLOAD_LENGTH);
    if (total > available && !truncated) {
      return false;
    }
    end = start + Math.min(total, available);
    protocol = packet.getUnsignedByte(start + IpFields.IPV6_NEXT_HEADER);
    transport = start + IpFields.IPV6_HEADER;
    for (int headers = 0; isExtension(protocol); headers++) {
      if (headers == EXTENSION_HEADERS_MAX || transport + 8 > end) {
        return false;
      }
      skipExtension(packet);
    }
    return transport <= end;
  }

  private void skipExtension(ByteBuf packet) {
    int length = 8;
    if (protocol == IpFields.FRAGMENT) {
      transportHere &= (packet.getUnsignedShort(transport + 2) & FRAGMENT_OFFSET_IPV6) == 0;
    } else {
      length += packet.getUnsignedByte(transport + 1) * 8;
    }
    routed |= protocol == IpFields.ROUTING;
    int next = packet.getUnsignedByte(transport);
    transport += length;
    // A fragment after the first has data here, so the next-header number does not apply. 59 means
    // "no next header".
    protocol = !transportHere && isExtension(next) ? 59 : next;
  }

  private static boolean isExtension(int next) {
    return next == IpFields.HOP_BY_HOP
        || next == IpFields.ROUTING
        || next == IpFields.FRAGMENT
        || next == IpFields.DESTINATION_OPTIONS;
  }

  boolean isIpv6() {
    return ipv6;
  }

  /// Returns the index of the source address.
  int source() {
    return start + (ipv6 ? IpFields.IPV6_SOURCE : IpFields.IPV4_SOURCE);
  }

  /// Returns the index of the destination address.
  int destination() {
    return start + (ipv6 ? IpFields.IPV6_DESTINATION : IpFields.IPV4_DESTINATION);
  }

  /// Returns true if the packet has an IPv6 routing header. Its checksum covers the final
  /// destination, so the translation cannot correct it.
  boolean isRouted() {
    return routed;
  }

  int start() {
    return start;
  }

  int protocol() {
    return protocol;
  }

  /// Returns the index of the transport header.
  int transport() {
    return transport;
  }

  /// Returns the available bytes of the transport header and payload.
  int transportLength() {
    return end - transport;
  }

  /// Returns true if the packet starts with its transport header, which is false in all fragments
  /// but the first.
  boolean hasTransport() {
    return transportHere;
  }

  /// Returns the index of the transport checksum that covers the addresses, or −1 if there is none
  /// or it is cut off.
  int addressedChecksum() {
    int offset =
        switch (protocol) {
          case IpFields.TCP -> IpFields.TCP_CHECKSUM;
          case IpFields.UDP -> IpFields.UDP_CHECKSUM;
          case IpFields.ICMPV6 -> ipv6 ? IpFields.ICMP_CHECKSUM : -1;
          default -> -1;
        };
    return offset >= 0 && transportHere && offset + 2 <= transportLength()
        ? transport + offset
        : -1;
  }

  /// Returns true if this is an ICMP error, which quotes the packet that caused it (RFC 792, RFC
  /// 4443).
  boolean icmpError(ByteBuf packet) {
    if (!transportHere || transportLength() < IpFields.ICMP_HEADER) {
      return false;
    }
    int type = packet.getUnsignedByte(transport);
    return ipv6
        ? protocol == IpFields.ICMPV6 && type >= 1 && type <= 4
        : protocol == IpFields.ICMP
            && (type == 3 || type == 4 || type == 5 || type == 11 || type == 12);
  }
}
