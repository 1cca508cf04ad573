package io.viaduct.tunnel.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// Reads and writes integers in network byte order in byte arrays, with one load or store each.
public final class BigEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

  public static int getShort(byte[] from, int at) {
    return (short) SHORT.get(from, at) & 0xFFFF;
  }

  public static void putShort(byte[] to, int at, int value) {
    SHORT.set(to, at, (short) value);
  }

  /// Returns the unsigned number of three bytes.
  public static int getMedium(byte[] from, int at) {
    return (from[at] & 0xFF) << 16 | getShort(from, at + 1);
  }

  /// Writes the low three bytes of a number.
  public static void putMedium(byte[] to, int at, int value) {
    to[at] = (byte) (value >>> 16);
    putShort(to, at + 1, value);
  }

  public static int getInt(byte[] from, int at) {
    return (int) INT.get(from, at);
  }

  public static void putInt(byte[] to, int at, int value) {
    INT.set(to, at, value);
  }

  public static long getLong(byte[] from, int at) {
    return (long) LONG.get(from, at);
  }

  public static void putLong(byte[] to, int at, long value) {
    LONG.set(to, at, value);
  }
}
