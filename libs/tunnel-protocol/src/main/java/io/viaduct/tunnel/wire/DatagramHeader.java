package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;

/// Header of a datagram, big-endian. Normative: docs/protocol.md "Datagram".
///
/// ```
/// |ver 2|typ 2|phs 2|cls 2|  receiver index (24)  |
/// |       sequence, low 32 of 64 bits             |
/// ```
///
/// The accessors are static and read the buffer that holds the header. Callers check [#LENGTH]
/// first.
public final class DatagramHeader {
  private static final int FIRST = 0;
  private static final int RECEIVER_INDEX = FIRST + 1;
  private static final int SEQUENCE = RECEIVER_INDEX + 3;

  /// Length of the header in bytes.
  public static final int LENGTH = SEQUENCE + Integer.BYTES;

  public static final int VERSION = 1;
  public static final int TYPE_DATA = 0;
  public static final int TYPE_PATH = 1;

  /// Type of a datagram that carries one piece of a long body. A [FragmentHeader] follows the
  /// header.
  public static final int TYPE_FRAGMENT = 2;

  /// Type of a datagram of data that leaves by two paths, byte by byte the same.
  public static final int TYPE_COPIED = 3;

  public static final int RECEIVER_INDEX_MAX = 0xFF_FFFF;

  private DatagramHeader() {}

  public static void write(
      ByteBuf to,
      int at,
      int type,
      long keyEpoch,
      ServiceClass serviceClass,
      int receiverIndex,
      long sequence) {
    int first = VERSION << 6 | type << 4 | (int) (keyEpoch & 3) << 2 | serviceClass.code();
    to.setInt(at + FIRST, first << 24 | receiverIndex);
    to.setInt(at + SEQUENCE, (int) sequence);
  }

  public static int version(ByteBuf of, int at) {
    return of.getByte(at + FIRST) >>> 6 & 3;
  }

  public static int type(ByteBuf of, int at) {
    return of.getByte(at + FIRST) >>> 4 & 3;
  }

  public static int keyPhase(ByteBuf of, int at) {
    return of.getByte(at + FIRST) >>> 2 & 3;
  }

  public static ServiceClass serviceClass(ByteBuf of, int at) {
    return ServiceClass.of(of.getByte(at + FIRST));
  }

  public static int sequenceLow(ByteBuf of, int at) {
    return of.getInt(at + SEQUENCE);
  }

  /// Returns the receiver index: the number by which the receiver finds the datagram's session.
  ///
  /// @return −1 if the datagram is shorter than a header
  public static int receiverIndex(ByteBuf datagram, int offset, int length) {
    return length < LENGTH ? -1 : datagram.getUnsignedMedium(offset + RECEIVER_INDEX);
  }

  /// Returns the 64-bit sequence nearest to `highest` whose low half is `low`; never negative.
  public static long restore(int low, long highest) {
    long candidate = (highest & ~0xFFFF_FFFFL) | (low & 0xFFFF_FFFFL);
    long distance = candidate - highest;
    if (distance > 0x8000_0000L && candidate >= 1L << 32) {
      return candidate - (1L << 32);
    }
    return distance < -0x8000_0000L ? candidate + (1L << 32) : candidate;
  }
}
