package io.viaduct.snapt.napt;

import io.netty.buffer.ByteBuf;

/// 16-bit one's complement arithmetic of the Internet checksum (RFC 1071, RFC 1624).
final class OnesComplement {
  private OnesComplement() {}

  /// Adds the carries back until 16 bits are left.
  static int fold(int sum) {
    int folded = (sum & 0xffff) + (sum >>> 16);
    return (folded & 0xffff) + (folded >>> 16);
  }

  /// What added to a sum takes `sum` away from it.
  static int negate(int sum) {
    return ~fold(sum) & 0xffff;
  }

  /// Sum of an even number of bytes, folded.
  static int sum(ByteBuf packet, int index, int bytes) {
    int sum = 0;
    for (int i = 0; i < bytes; i += Short.BYTES) {
      sum += packet.getUnsignedShort(index + i);
    }
    return fold(sum);
  }

  // = rfc1624#3
  // # HC' = ~(~HC + ~m + m')
  /// A checksum after what it covers has changed by `change`.
  static int corrected(int checksum, int change) {
    return ~fold((~checksum & 0xffff) + change) & 0xffff;
  }
}
