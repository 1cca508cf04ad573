package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;

/// Where the parts of one IPv4 or IPv6 packet are (RFC 791, RFC 8200); a flyweight of one event
/// loop. Reads nothing behind the bytes it was given.
final class IpHeader {
  static final int IPV4_LENGTH_MIN = 20;
  static final int IPV4_TOTAL_LENGTH = 2;
  static final int IPV4_FRAGMENT = 6;
  static final int IPV4_PROTOCOL = 9;
  static final int IPV4_CHECKSUM = 10;
  static final int IPV4_SOURCE = 12;
  static final int IPV4_DESTINATION = 16;
  static final int IPV6_LENGTH = 40;
  static final int IPV6_PAYLOAD_LENGTH = 4;
  static final int IPV6_NEXT_HEADER = 6;
  static final int IPV6_SOURCE = 8;
  static final int IPV6_DESTINATION = 24;

  static final int ICMP = 1;
  static final int TCP = 6;
  static final int UDP = 17;
  static final int ICMPV6 = 58;

  private static final int HOP_BY_HOP = 0;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int DESTINATION_OPTIONS = 60;
  private static final int EXTENSION_HEADERS_MAX = 8;

  private static final int FRAGMENT_OFFSET_IPV4 = 0x1fff;
  private static final int FRAGMENT_OFFSET_IPV6 = 0xfff8;

  private boolean ipv6;
  private int start;
  private int protocol;
  private int transport;
  private int end;
  private boolean transportHere;
  private boolean routed;

  /// Finds the parts.
  ///
  /// @param ip index of the first byte
  /// @param available bytes that may be read; fewer than the packet's own length only if
  ///   `truncated`
  /// @param truncated whether the packet may have been cut, as inside an ICMP error
  /// @return false if this is no IP packet, or a header is not whole
  boolean wrap(ByteBuf packet, int ip, int available, boolean truncated) {
    start = ip;
    routed = false;
    transportHere = true;
    if (available < IPV4_LENGTH_MIN) {
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
    int total = packet.getUnsignedShort(start + IPV4_TOTAL_LENGTH);
    if (header < IPV4_LENGTH_MIN || header > available || total < header) {
      return false;
    }
    if (total > available && !truncated) {
      return false;
    }
    protocol = packet.getUnsignedByte(start + IPV4_PROTOCOL);
    transport = start + header;
    end = start + Math.min(total, available);
    transportHere = (packet.getUnsignedShort(start + IPV4_FRAGMENT) & FRAGMENT_OFFSET_IPV4) == 0;
    return true;
  }

  private boolean wrapIpv6(ByteBuf packet, int available, boolean truncated) {
    if (available < IPV6_LENGTH) {
      return false;
    }
    int total = IPV6_LENGTH + packet.getUnsignedShort(start + IPV6_PAYLOAD_LENGTH);
    if (total > available && !truncated) {
      return false;
    }
    end = start + Math.min(total, available);
    protocol = packet.getUnsignedByte(start + IPV6_NEXT_HEADER);
    transport = start + IPV6_LENGTH;
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
    if (protocol == FRAGMENT) {
      transportHere &= (packet.getUnsignedShort(transport + 2) & FRAGMENT_OFFSET_IPV6) == 0;
    } else {
      length += packet.getUnsignedByte(transport + 1) * 8;
    }
    routed |= protocol == ROUTING;
    int next = packet.getUnsignedByte(transport);
    transport += length;
    // Behind the header of a later fragment comes data, whatever the number says.
    protocol = !transportHere && isExtension(next) ? 59 : next;
  }

  private static boolean isExtension(int next) {
    return next == HOP_BY_HOP || next == ROUTING || next == FRAGMENT || next == DESTINATION_OPTIONS;
  }

  boolean ipv6() {
    return ipv6;
  }

  /// Index of the source address.
  int source() {
    return start + (ipv6 ? IPV6_SOURCE : IPV4_SOURCE);
  }

  /// Index of the destination address.
  int destination() {
    return start + (ipv6 ? IPV6_DESTINATION : IPV4_DESTINATION);
  }

  /// Whether an IPv6 routing header is there: its pseudo header is not the one that we would
  /// correct.
  boolean routed() {
    return routed;
  }

  int start() {
    return start;
  }

  int protocol() {
    return protocol;
  }

  /// Index of the transport header.
  int transport() {
    return transport;
  }

  /// Bytes of transport header and payload that are there.
  int transportLength() {
    return end - transport;
  }

  /// False in every fragment but the first.
  boolean transportHere() {
    return transportHere;
  }

  /// Index of the transport checksum that covers the addresses, −1 if there is none (or it is cut
  /// off).
  int addressedChecksum() {
    int offset =
        switch (protocol) {
          case TCP -> 16;
          case UDP -> 6;
          case ICMPV6 -> ipv6 ? 2 : -1;
          default -> -1;
        };
    return offset >= 0 && transportHere && offset + 2 <= transportLength()
        ? transport + offset
        : -1;
  }

  /// Whether this is an ICMP error, which quotes the packet that it is about (RFC 792, RFC 4443).
  boolean icmpError(ByteBuf packet) {
    if (!transportHere || transportLength() < 8) {
      return false;
    }
    int type = packet.getUnsignedByte(transport);
    return ipv6
        ? protocol == ICMPV6 && type >= 1 && type <= 4
        : protocol == ICMP && (type == 3 || type == 4 || type == 5 || type == 11 || type == 12);
  }
}
