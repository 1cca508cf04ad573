package io.viaduct.tunnel.wire;

/// Reads and writes the little-endian base-128 integers of protocol buffers.
///
/// Readers never read behind `end`. They return a negative number if the integer is cut or too
/// long, so that a parser needs only one check.
public final class VarInt {
  /// Result for an integer that is cut or longer than allowed.
  public static final long INVALID = -1;

  private static final int BYTES_MAX = 10;

  private VarInt() {}

  public static int length(long value) {
    return value == 0 ? 1 : (70 - Long.numberOfLeadingZeros(value)) / 7;
  }

  /// Writes an unsigned value. @return the position behind it
  public static int write(byte[] to, int at, long value) {
    long rest = value;
    int position = at;
    while ((rest & ~0x7FL) != 0) {
      to[position++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    to[position++] = (byte) rest;
    return position;
  }

  /// Reads a value below 2^31 that takes at most 5 bytes. The encoding need not be the shortest
  /// one, so [#length] of the value may differ from the bytes read.
  ///
  /// @return value in the low 32 bits, bytes read in the bits above; or [#INVALID]
  public static long readInt(byte[] from, int at, int end) {
    long value = 0;
    for (int i = 0; i < 5; i++) {
      if (at + i >= end) {
        return INVALID;
      }
      byte b = from[at + i];
      value |= (long) (b & 0x7F) << 7 * i;
      if (b >= 0) {
        return value > Integer.MAX_VALUE ? INVALID : (long) (i + 1) << 32 | value;
      }
    }
    return INVALID;
  }

  /// Returns the length of the integer at `at`, 1 … 10 bytes, or 0 if it is cut or too long.
  public static int lengthOfLong(byte[] from, int at, int end) {
    for (int i = 0; i < BYTES_MAX && at + i < end; i++) {
      if (from[at + i] >= 0) {
        return i + 1;
      }
    }
    return 0;
  }

  /// Reads an integer whose length [#lengthOfLong] has returned. Bits above 64 are lost.
  public static long readLong(byte[] from, int at, int length) {
    long value = 0;
    for (int i = 0; i < length; i++) {
      value |= (long) (from[at + i] & 0x7F) << 7 * i;
    }
    return value;
  }

  public static long zigzag(long value) {
    return value << 1 ^ value >> 63;
  }

  public static long unzigzag(long value) {
    return value >>> 1 ^ -(value & 1);
  }
}
