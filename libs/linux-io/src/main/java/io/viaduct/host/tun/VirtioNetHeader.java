package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;

/// The header before each packet of a TUN device: `struct virtio_net_hdr_v1` of linux/virtio_net.h,
/// little-endian by TUNSETVNETLE. It describes the work that is left to do on the packet.
///
///     |0        |1        |2                  |
///     |flags    |gso type |header length      |
///     |gso size           |checksum start     |
///     |checksum offset    |buffers            |
///
/// The 12-byte form is used instead of the 10-byte one, so that the IP packet begins on a multiple
/// of four. TUN does not use the last field, `buffers`. Offsets inside the packet count from the IP
/// header.
public final class VirtioNetHeader {
  private static final int FLAGS = 0;
  private static final int GSO_TYPE = FLAGS + Byte.BYTES;
  private static final int HEADER_LENGTH = GSO_TYPE + Byte.BYTES;
  private static final int GSO_SIZE = HEADER_LENGTH + Short.BYTES;
  private static final int CHECKSUM_START = GSO_SIZE + Short.BYTES;
  private static final int CHECKSUM_OFFSET = CHECKSUM_START + Short.BYTES;
  private static final int BUFFERS = CHECKSUM_OFFSET + Short.BYTES;

  /// Length of the header, in bytes.
  public static final int LENGTH = BUFFERS + Short.BYTES;

  /// Flag: the checksum is partial; the sum from `checksum start` on must be added.
  public static final int NEEDS_CHECKSUM = 1;

  /// Flag: the checksum was verified and needs no check.
  public static final int CHECKSUM_VALID = 2;

  /// GSO type: an ordinary packet.
  public static final int GSO_NONE = 0;

  /// GSO type: TCP over IPv4, to be segmented.
  public static final int GSO_TCPV4 = 1;

  /// GSO type: TCP over IPv6, to be segmented.
  public static final int GSO_TCPV6 = 4;

  /// GSO type: UDP over IPv4 or IPv6; each segment is a datagram of its own.
  public static final int GSO_UDP_L4 = 5;

  /// Added to a TCP type: only the first segment keeps CWR.
  public static final int GSO_ECN = 0x80;

  private ByteBuf buffer = io.netty.buffer.Unpooled.EMPTY_BUFFER;
  private int start;

  /// Moves to another header.
  ///
  /// @param start absolute index of its first byte
  public VirtioNetHeader wrap(ByteBuf buffer, int start) {
    this.buffer = buffer;
    this.start = start;
    return this;
  }

  /// Sets all fields to those of an ordinary packet with a complete checksum.
  public VirtioNetHeader clear() {
    buffer.setLong(start, 0);
    buffer.setInt(start + Long.BYTES, 0);
    return this;
  }

  public int flags() {
    return buffer.getUnsignedByte(start + FLAGS);
  }

  public VirtioNetHeader flags(int flags) {
    buffer.setByte(start + FLAGS, flags);
    return this;
  }

  /// Returns true if the checksum is partial.
  public boolean needsChecksum() {
    return (flags() & NEEDS_CHECKSUM) != 0;
  }

  /// Returns the type without [#GSO_ECN].
  public int gsoType() {
    return buffer.getUnsignedByte(start + GSO_TYPE) & ~GSO_ECN;
  }

  /// Returns true if only the first segment keeps CWR.
  public boolean isGsoEcn() {
    return (buffer.getUnsignedByte(start + GSO_TYPE) & GSO_ECN) != 0;
  }

  /// Sets the type, with or without [#GSO_ECN].
  public VirtioNetHeader gsoType(int type) {
    buffer.setByte(start + GSO_TYPE, type);
    return this;
  }

  /// Returns the bytes of the IP and transport header. The kernel's value is only a hint.
  public int headerLength() {
    return buffer.getUnsignedShortLE(start + HEADER_LENGTH);
  }

  public VirtioNetHeader headerLength(int bytes) {
    buffer.setShortLE(start + HEADER_LENGTH, bytes);
    return this;
  }

  /// Returns the payload bytes of each segment but the last.
  public int gsoSize() {
    return buffer.getUnsignedShortLE(start + GSO_SIZE);
  }

  public VirtioNetHeader gsoSize(int bytes) {
    buffer.setShortLE(start + GSO_SIZE, bytes);
    return this;
  }

  /// Returns the start of the summed bytes, counted from the IP header: the transport header.
  public int checksumStart() {
    return buffer.getUnsignedShortLE(start + CHECKSUM_START);
  }

  public VirtioNetHeader checksumStart(int bytes) {
    buffer.setShortLE(start + CHECKSUM_START, bytes);
    return this;
  }

  /// Returns the offset of the checksum field, counted from `checksum start`: 16 for TCP, 6 for
  /// UDP.
  public int checksumOffset() {
    return buffer.getUnsignedShortLE(start + CHECKSUM_OFFSET);
  }

  public VirtioNetHeader checksumOffset(int bytes) {
    buffer.setShortLE(start + CHECKSUM_OFFSET, bytes);
    return this;
  }
}
