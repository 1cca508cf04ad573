package io.viaduct.tunnel.flow;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// Reads from one IP packet the flow's identity and the header fields that stay the same from
/// packet to packet.
///
/// A flyweight: one object is parsed again for each packet. No field is read before the packet is
/// known to be long enough. Addresses are two longs, IPv4 as IPv4-mapped IPv6 (RFC 4291 §2.5.5.2).
public final class FlowKey {
  static final long IPV4_MAPPED = 0x0000_FFFF_0000_0000L;

  /// Mask of the IPv4 field whose bits are zero in a whole packet: all but DF.
  private static final int FRAGMENT = 0xFFFF ^ IpFields.DONT_FRAGMENT;

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

  /// Parses one packet. @return false if the bytes are no complete IP packet of exactly their
  /// length
  public boolean parse(IpPacket of) {
    ByteBuf packet = of.buffer();
    int offset = of.start();
    int length = of.length();
    if (length < IpFields.IPV4_HEADER) {
      return false;
    }
    version = of.version();
    return switch (version) {
      case 4 -> parseIpv4(packet, offset, length);
      case 6 -> parseIpv6(packet, offset, length);
      default -> false;
    };
  }

  private boolean parseIpv4(ByteBuf packet, int offset, int length) {
    transportOffset = (packet.getByte(offset) & 0xF) << 2;
    if (transportOffset < IpFields.IPV4_HEADER
        || transportOffset > length
        || packet.getUnsignedShort(offset + IpFields.IPV4_TOTAL_LENGTH) != length) {
      return false;
    }
    int tos = packet.getUnsignedByte(offset + 1);
    int fragment = packet.getUnsignedShort(offset + IpFields.IPV4_FRAGMENT);
    protocol = packet.getUnsignedByte(offset + IpFields.IPV4_PROTOCOL);
    sourceHigh = 0;
    destinationHigh = 0;
    sourceLow = IPV4_MAPPED | packet.getUnsignedInt(offset + IpFields.IPV4_SOURCE);
    destinationLow = IPV4_MAPPED | packet.getUnsignedInt(offset + IpFields.IPV4_DESTINATION);
    ecn = tos & 3;
    boolean whole = (fragment & FRAGMENT) == 0;
    elidable = whole && transportOffset == IpFields.IPV4_HEADER;
    header =
        HeaderContext.ipv4(
            tos >>> 2,
            (fragment & IpFields.DONT_FRAGMENT) != 0,
            packet.getUnsignedByte(offset + IpFields.IPV4_TTL));
    readPorts(packet, offset, length, whole);
    return true;
  }

  private boolean parseIpv6(ByteBuf packet, int offset, int length) {
    if (length < IpFields.IPV6_HEADER
        || packet.getUnsignedShort(offset + IpFields.IPV6_PAYLOAD_LENGTH)
            != length - IpFields.IPV6_HEADER) {
      return false;
    }
    transportOffset = IpFields.IPV6_HEADER;
    int word = packet.getInt(offset);
    int trafficClass = word >>> 20 & 0xFF;
    protocol = packet.getUnsignedByte(offset + IpFields.IPV6_NEXT_HEADER);
    sourceHigh = packet.getLong(offset + IpFields.IPV6_SOURCE);
    sourceLow = packet.getLong(offset + IpFields.IPV6_SOURCE + Long.BYTES);
    destinationHigh = packet.getLong(offset + IpFields.IPV6_DESTINATION);
    destinationLow = packet.getLong(offset + IpFields.IPV6_DESTINATION + Long.BYTES);
    ecn = trafficClass & 3;
    elidable = true;
    header =
        HeaderContext.ipv6(
            trafficClass >>> 2,
            word & 0xFFFFF,
            packet.getUnsignedByte(offset + IpFields.IPV6_HOP_LIMIT));
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
    if (protocol == IpFields.TCP && room >= IpFields.TCP_HEADER) {
      int headerBytes = (packet.getByte(transport + IpFields.TCP_DATA_OFFSET) >>> 4 & 0xF) << 2;
      portless = headerBytes < IpFields.TCP_HEADER || headerBytes > room;
    } else if (protocol == IpFields.UDP && room >= IpFields.UDP_HEADER) {
      portless = packet.getUnsignedShort(transport + IpFields.UDP_LENGTH) != room;
      if (!portless && packet.getShort(transport + IpFields.UDP_CHECKSUM) == 0) {
        header |= HeaderContext.NO_UDP_CHECKSUM;
      }
    } else if (isEcho(packet, transport, room)) {
      // An echo belongs to the identifier of the device in both directions.
      sourcePort = packet.getUnsignedShort(transport + IpFields.ICMP_IDENTIFIER);
      destinationPort = sourcePort;
      return;
    }
    if (!portless) {
      sourcePort = packet.getUnsignedShort(transport + IpFields.SOURCE_PORT);
      destinationPort = packet.getUnsignedShort(transport + IpFields.DESTINATION_PORT);
    }
  }

  private boolean isEcho(ByteBuf packet, int transport, int room) {
    if (room < IpFields.ICMP_HEADER) {
      return false;
    }
    int type = packet.getUnsignedByte(transport);
    return protocol == IpFields.ICMP && (type == 0 || type == 8)
        || protocol == IpFields.ICMPV6 && (type == 128 || type == 129);
  }

  public int version() {
    return version;
  }

  /// Returns the port of the sender, or the identifier of an ICMP echo; 0 if there is none.
  public int sourcePort() {
    return sourcePort;
  }

  /// Returns the port of the receiver, or the identifier of an ICMP echo; 0 if there is none.
  public int destinationPort() {
    return destinationPort;
  }

  /// Returns the upper half of the receiver's address, as IPv6.
  public long destinationHigh() {
    return destinationHigh;
  }

  /// Returns the lower half of the receiver's address, as IPv6.
  public long destinationLow() {
    return destinationLow;
  }

  public int protocol() {
    return protocol;
  }

  /// Returns the length of the IP header in bytes, options included.
  public int transportOffset() {
    return transportOffset;
  }

  public int ecn() {
    return ecn;
  }

  /// Notes that the packet was marked with Congestion Experienced after it was parsed.
  public void marked() {
    ecn = IpFields.CONGESTION_EXPERIENCED;
  }

  /// Returns the header fields that stay the same from packet to packet, see [HeaderContext].
  public long header() {
    return header;
  }

  /// Returns whether a receiver can rebuild the IP header from a context.
  public boolean isElidable() {
    return elidable;
  }

  /// Returns whether the packet has no ports that can be left out: neither TCP nor UDP, a fragment,
  /// or a damaged length.
  public boolean isPortless() {
    return portless;
  }
}
