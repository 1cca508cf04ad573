package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;

/// The header before each packet of a TUN device, `struct virtio_net_hdr_v1` of linux/virtio_net.h,
/// little-endian by TUNSETVNETLE. It says what is still to be done with the packet.
///
///     |0        |1        |2                  |
///     |flags    |gso type |header length      |
///     |gso size           |checksum start     |
///     |checksum offset    |buffers            |
///
/// The 12-byte form is used, not the 10-byte one: the IP packet then begins on a multiple of four.
/// The last field, `buffers`, means nothing to TUN. Offsets inside the packet count from the IP
/// header.
public final class VirtioNetHeader {
  private static final int FLAGS = 0;
  private static final int GSO_TYPE = FLAGS + Byte.BYTES;
  private static final int HEADER_LENGTH = GSO_TYPE + Byte.BYTES;
  private static final int GSO_SIZE = HEADER_LENGTH + Short.BYTES;
  private static final int CHECKSUM_START = GSO_SIZE + Short.BYTES;
  private static final int CHECKSUM_OFFSET = CHECKSUM_START + Short.BYTES;
  private static final int BUFFERS = CHECKSUM_OFFSET + Short.BYTES;

  /// Bytes of the header.
  public static final int LENGTH = BUFFERS + Short.BYTES;

  /// Flag: the checksum is only begun; the sum from `checksum start` on is to be added.
  public static final int NEEDS_CHECKSUM = 1;

  /// Flag: the checksum was verified and need not be looked at.
  public static final int CHECKSUM_VALID = 2;

  /// GSO type: an ordinary packet.
  public static final int GSO_NONE = 0;

  /// GSO type: TCP over IPv4, to be cut.
  public static final int GSO_TCPV4 = 1;

  /// GSO type: TCP over IPv6, to be cut.
  public static final int GSO_TCPV6 = 4;

  /// GSO type: UDP over either, each segment a datagram of its own.
  public static final int GSO_UDP_L4 = 5;

  /// Added to a TCP type: the first segment alone keeps CWR.
  public static final int GSO_ECN = 0x80;

  private ByteBuf buffer = io.netty.buffer.Unpooled.EMPTY_BUFFER;
  private int start;

  /// Looks at another header.
  ///
  /// @param start absolute index of its first byte
  public VirtioNetHeader wrap(ByteBuf buffer, int start) {
    this.buffer = buffer;
    this.start = start;
    return this;
  }

  /// Makes it the header of a whole, ordinary packet.
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

  /// Whether the checksum is only begun.
  public boolean needsChecksum() {
    return (flags() & NEEDS_CHECKSUM) != 0;
  }

  /// The type without [#GSO_ECN].
  public int gsoType() {
    return buffer.getUnsignedByte(start + GSO_TYPE) & ~GSO_ECN;
  }

  /// Whether only the first segment keeps CWR.
  public boolean gsoEcn() {
    return (buffer.getUnsignedByte(start + GSO_TYPE) & GSO_ECN) != 0;
  }

  /// Sets the type, with or without [#GSO_ECN].
  public VirtioNetHeader gsoType(int type) {
    buffer.setByte(start + GSO_TYPE, type);
    return this;
  }

  /// Bytes of the IP and transport header, as the kernel counts them: a hint.
  public int headerLength() {
    return buffer.getUnsignedShortLE(start + HEADER_LENGTH);
  }

  public VirtioNetHeader headerLength(int bytes) {
    buffer.setShortLE(start + HEADER_LENGTH, bytes);
    return this;
  }

  /// Bytes of payload in each segment but the last.
  public int gsoSize() {
    return buffer.getUnsignedShortLE(start + GSO_SIZE);
  }

  public VirtioNetHeader gsoSize(int bytes) {
    buffer.setShortLE(start + GSO_SIZE, bytes);
    return this;
  }

  /// Where the sum begins, counted from the IP header: the transport header.
  public int checksumStart() {
    return buffer.getUnsignedShortLE(start + CHECKSUM_START);
  }

  public VirtioNetHeader checksumStart(int bytes) {
    buffer.setShortLE(start + CHECKSUM_START, bytes);
    return this;
  }

  /// Where the sum goes, counted from `checksum start`: 16 for TCP, 6 for UDP.
  public int checksumOffset() {
    return buffer.getUnsignedShortLE(start + CHECKSUM_OFFSET);
  }

  public VirtioNetHeader checksumOffset(int bytes) {
    buffer.setShortLE(start + CHECKSUM_OFFSET, bytes);
    return this;
  }
}
