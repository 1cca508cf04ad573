package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/// One inner IP packet, or one TCP or UDP superpacket: where it lies in a buffer, and what is left
/// to do with it.
///
/// A mutable carrier: each event loop, or each stream of packets, has one and sets it anew for each
/// packet, so that a packet costs no object. It does not own the buffer, whose indexes have no
/// meaning. Only the parts that [#set] was given may be read; nothing is checked here.
public final class IpPacket {
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private int length;
  private int gsoSize;
  private boolean checksumPartial;

  /// Moves to a plain packet with complete checksums.
  ///
  /// @param ip index of the IP header
  /// @param bytes length of the packet
  public IpPacket set(ByteBuf in, int ip, int bytes) {
    return set(in, ip, bytes, 0, false);
  }

  /// Moves to another packet.
  ///
  /// @param segmentBytes payload bytes per segment of a superpacket, 0 for a plain packet
  /// @param partial true if the transport checksum field holds the folded sum of the pseudo header,
  ///   not complemented (virtio `NEEDS_CSUM`). The kernel, or [InternetChecksum#complete], finishes
  ///   it. A NAPT that changes an address adds the difference instead of subtracting it.
  public IpPacket set(ByteBuf in, int ip, int bytes, int segmentBytes, boolean partial) {
    buffer = in;
    start = ip;
    length = bytes;
    gsoSize = segmentBytes;
    checksumPartial = partial;
    return this;
  }

  public ByteBuf buffer() {
    return buffer;
  }

  /// Returns the index of the IP header.
  public int start() {
    return start;
  }

  /// Returns the index behind the last byte.
  public int end() {
    return start + length;
  }

  public int length() {
    return length;
  }

  /// Returns the payload bytes per segment of a superpacket, 0 for a plain packet.
  public int gsoSize() {
    return gsoSize;
  }

  public boolean isChecksumPartial() {
    return checksumPartial;
  }

  /// Returns the IP version, the first four bits.
  public int version() {
    return buffer.getByte(start) >>> 4 & 0xF;
  }

  public boolean isIpv4() {
    return version() == 4;
  }

  /// Returns the index of the transport header: behind the options of IPv4, or behind the fixed
  /// header of IPv6, where an extension header may be.
  public int transport() {
    return start + (isIpv4() ? (buffer.getByte(start) & 0xF) << 2 : IpFields.IPV6_HEADER);
  }

  /// Returns the protocol number of what begins at [#transport].
  public int protocol() {
    return buffer.getUnsignedByte(
        start + (isIpv4() ? IpFields.IPV4_PROTOCOL : IpFields.IPV6_NEXT_HEADER));
  }

  /// Returns the bytes of a TCP or UDP header.
  public int transportHeaderBytes() {
    return protocol() == IpFields.UDP
        ? IpFields.UDP_HEADER
        : (buffer.getByte(transport() + IpFields.TCP_DATA_OFFSET) >>> 4 & 0xF) << 2;
  }

  /// Returns the position of the checksum in a TCP or UDP header.
  public int checksumOffset() {
    return protocol() == IpFields.TCP ? IpFields.TCP_CHECKSUM : IpFields.UDP_CHECKSUM;
  }
}
