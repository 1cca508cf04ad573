package io.viaduct.tunnel.flow;

import io.netty.buffer.ByteBuf;

/// Reads what identifies the flow of one IP packet, and what of its header does not change from
/// packet to packet. A flyweight: one object, parsed again for each packet; nothing is read before
/// its length is known to be there. Addresses are two longs, IPv4 as IPv4-mapped IPv6 (RFC 4291
/// §2.5.5.2).
public final class FlowKey {
  public static final int ICMP = 1;
  public static final int TCP = 6;
  public static final int UDP = 17;
  public static final int ICMPV6 = 58;
  public static final int IPV4_HEADER = 20;
  public static final int IPV6_HEADER = 40;

  /// What every link must carry, RFC 8200 section 5.
  public static final int IPV6_MTU_MIN = 1280;

  static final long IPV4_MAPPED = 0x0000_FFFF_0000_0000L;

  private static final int TCP_HEADER = 20;
  private static final int UDP_HEADER = 8;
  private static final int DF = 0x4000;
  private static final int FRAGMENT = 0xBFFF;

  int version;
  int protocol;
  long sourceHigh;
  long sourceLow;
  long destinationHigh;
  long destinationLow;
  int sourcePort;
  int destinationPort;
  int transportOffset;
  int ecn;
  long header;
  boolean elidable;
  boolean portless;

  /// @return false if the bytes are no complete IP packet of exactly `length` bytes
  public boolean parse(ByteBuf packet, int offset, int length) {
    if (length < IPV4_HEADER) {
      return false;
    }
    version = packet.getByte(offset) >>> 4 & 0xF;
    return switch (version) {
      case 4 -> parseIpv4(packet, offset, length);
      case 6 -> parseIpv6(packet, offset, length);
      default -> false;
    };
  }

  private boolean parseIpv4(ByteBuf packet, int offset, int length) {
    transportOffset = (packet.getByte(offset) & 0xF) << 2;
    if (transportOffset < IPV4_HEADER
        || transportOffset > length
        || packet.getUnsignedShort(offset + 2) != length) {
      return false;
    }
    int tos = packet.getUnsignedByte(offset + 1);
    int fragment = packet.getUnsignedShort(offset + 6);
    protocol = packet.getUnsignedByte(offset + 9);
    sourceHigh = 0;
    destinationHigh = 0;
    sourceLow = IPV4_MAPPED | packet.getUnsignedInt(offset + 12);
    destinationLow = IPV4_MAPPED | packet.getUnsignedInt(offset + 16);
    ecn = tos & 3;
    boolean whole = (fragment & FRAGMENT) == 0;
    elidable = whole && transportOffset == IPV4_HEADER;
    header =
        HeaderContext.ipv4(tos >>> 2, (fragment & DF) != 0, packet.getUnsignedByte(offset + 8));
    readPorts(packet, offset, length, whole);
    return true;
  }

  private boolean parseIpv6(ByteBuf packet, int offset, int length) {
    if (length < IPV6_HEADER || packet.getUnsignedShort(offset + 4) != length - IPV6_HEADER) {
      return false;
    }
    transportOffset = IPV6_HEADER;
    int word = packet.getInt(offset);
    int trafficClass = word >>> 20 & 0xFF;
    protocol = packet.getUnsignedByte(offset + 6);
    sourceHigh = packet.getLong(offset + 8);
    sourceLow = packet.getLong(offset + 16);
    destinationHigh = packet.getLong(offset + 24);
    destinationLow = packet.getLong(offset + 32);
    ecn = trafficClass & 3;
    elidable = true;
    header =
        HeaderContext.ipv6(trafficClass >>> 2, word & 0xFFFFF, packet.getUnsignedByte(offset + 7));
    readPorts(packet, offset, length, true);
    return true;
  }

  private void readPorts(ByteBuf packet, int offset, int length, boolean whole) {
    sourcePort = 0;
    destinationPort = 0;
    portless = true;
    int transport = offset + transportOffset;
    int room = length - transportOffset;
    if (!whole) {
      return;
    }
    if (protocol == TCP && room >= TCP_HEADER) {
      int headerBytes = (packet.getByte(transport + 12) >>> 4 & 0xF) << 2;
      portless = headerBytes < TCP_HEADER || headerBytes > room;
    } else if (protocol == UDP && room >= UDP_HEADER) {
      portless = packet.getUnsignedShort(transport + 4) != room;
      if (!portless && packet.getShort(transport + 6) == 0) {
        header |= HeaderContext.NO_UDP_CHECKSUM;
      }
    } else if (isEcho(packet, transport, room)) {
      // An echo belongs to the identifier of the device, whichever way it travels.
      sourcePort = packet.getUnsignedShort(transport + 4);
      destinationPort = sourcePort;
      return;
    }
    if (!portless) {
      sourcePort = packet.getUnsignedShort(transport);
      destinationPort = packet.getUnsignedShort(transport + 2);
    }
  }

  private boolean isEcho(ByteBuf packet, int transport, int room) {
    if (room < 8) {
      return false;
    }
    int type = packet.getUnsignedByte(transport);
    return protocol == ICMP && (type == 0 || type == 8)
        || protocol == ICMPV6 && (type == 128 || type == 129);
  }

  public int version() {
    return version;
  }

  public int protocol() {
    return protocol;
  }

  /// Bytes of the IP header, options included.
  public int transportOffset() {
    return transportOffset;
  }

  public int ecn() {
    return ecn;
  }

  /// What the header keeps from packet to packet, see [HeaderContext].
  public long header() {
    return header;
  }

  /// Whether a receiver can rebuild the IP header from a context.
  public boolean elidable() {
    return elidable;
  }

  /// Whether the packet has no ports that can be left out: no TCP or UDP, a fragment, a damaged
  /// length.
  public boolean portless() {
    return portless;
  }
}
