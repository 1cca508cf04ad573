package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;

/// Header of a FRAGMENT datagram, behind the datagram header, big-endian. Normative:
/// docs/protocol.md "FRAGMENT".
///
/// ```
/// | last (1) | index (7) |  sealed bytes of the whole body, tag included (16)  |
/// ```
///
/// The accessors are static and read the buffer that holds the header. Callers check [#LENGTH]
/// first.
public final class FragmentHeader {
  private static final int INDEX = DatagramHeader.LENGTH;
  private static final int SEALED = INDEX + 1;
  private static final int LAST = 0x80;

  /// Length of the datagram header and the fragment header together, in bytes.
  public static final int LENGTH = SEALED + Short.BYTES;

  /// Largest number of datagrams that carry one body.
  public static final int FRAGMENTS_MAX = 128;

  /// Largest sealed body in bytes, tag included.
  public static final int SEALED_BYTES_MAX = 65_535;

  private FragmentHeader() {}

  public static void write(ByteBuf to, int at, int index, boolean last, int sealedBytes) {
    to.setByte(at + INDEX, last ? index | LAST : index);
    to.setShort(at + SEALED, sealedBytes);
  }

  /// Returns the fragment's place among the datagrams of its body. Their sequences follow the same
  /// order.
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
