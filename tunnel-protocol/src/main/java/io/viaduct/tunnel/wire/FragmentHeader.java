package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;

/// What stands behind the header of a FRAGMENT, big-endian. Normative: docs/protocol.md "FRAGMENT".
///
/// ```
/// | last (1) | index (7) |  sealed bytes of the whole body, tag included (16)  |
/// ```
///
/// Static accessors over the buffer that holds it; callers check [#LENGTH] first.
public final class FragmentHeader {
  private static final int INDEX = DatagramHeader.LENGTH;
  private static final int SEALED = INDEX + 1;
  private static final int LAST = 0x80;

  /// Bytes of both headers.
  public static final int LENGTH = SEALED + Short.BYTES;

  /// Datagrams that one body may take.
  public static final int FRAGMENTS_MAX = 128;

  /// Bytes of one sealed body, tag included.
  public static final int SEALED_BYTES_MAX = 65_535;

  private FragmentHeader() {}

  public static void write(ByteBuf to, int at, int index, boolean last, int sealedBytes) {
    to.setByte(at + INDEX, last ? index | LAST : index);
    to.setShort(at + SEALED, sealedBytes);
  }

  /// Place among the datagrams of the body, and so among their sequences.
  public static int index(ByteBuf of, int at) {
    return of.getByte(at + INDEX) & FRAGMENTS_MAX - 1;
  }

  public static boolean isLast(ByteBuf of, int at) {
    return (of.getByte(at + INDEX) & LAST) != 0;
  }

  public static int sealedBytes(ByteBuf of, int at) {
    return of.getUnsignedShort(at + SEALED);
  }
}
