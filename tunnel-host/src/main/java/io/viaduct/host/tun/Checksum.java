package io.viaduct.host.tun;

import io.netty.buffer.ByteBuf;

/// The Internet checksum: one's complement sum of 16-bit words (RFC 1071), and its change when a
/// field changes (RFC 1624).
///
/// A *sum* is a long that collects words and is not folded yet; sums may be added. A *checksum* is
/// the 16 bits of the field, complemented. A *partial* checksum, which `NEEDS_CHECKSUM` in the
/// [VirtioNetHeader] announces, is the folded sum of the pseudo header, not complemented.
public final class Checksum {
  private static final long LOW_INT = 0xffffffffL;

  private Checksum() {}

  /// The sum of bytes of a buffer; an odd last byte counts as if a zero followed.
  public static long sum(ByteBuf bytes, int start, int length) {
    long sum = 0;
    int at = start;
    int end = start + length;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      long word = bytes.getLong(at);
      sum += (word >>> 32) + (word & LOW_INT);
    }
    for (; at + Short.BYTES <= end; at += Short.BYTES) {
      sum += bytes.getUnsignedShort(at);
    }
    return at < end ? sum + (bytes.getUnsignedByte(at) << 8) : sum;
  }

  /// Folds a sum to 16 bits, not complemented.
  public static int fold(long sum) {
    long folded = (sum >>> 32) + (sum & LOW_INT);
    folded = (folded >>> 16) + (folded & 0xffff);
    folded = (folded >>> 16) + (folded & 0xffff);
    folded = (folded >>> 16) + (folded & 0xffff);
    return (int) folded;
  }

  /// The checksum of a sum.
  public static int of(long sum) {
    return ~fold(sum) & 0xffff;
  }

  /// The checksum after some of the summed fields have changed (RFC 1624 section 3, equation 3:
  /// `HC' = ~(~HC + ~m + m')`).
  ///
  /// @param removed sum of the old values
  /// @param added sum of the new values
  public static int update(int checksum, long removed, long added) {
    return ~fold((~checksum & 0xffff) + (~fold(removed) & 0xffff) + added) & 0xffff;
  }

  /// The same for a partial checksum, which holds the sum itself. Only addresses, protocol and
  /// length are in it: a changed port must not be applied.
  public static int updatePartial(int partial, long removed, long added) {
    return fold((partial & 0xffff) + (~fold(removed) & 0xffff) + added);
  }

  /// What a UDP header carries for a checksum: zero would say that there is none (RFC 768).
  public static int udpField(int checksum) {
    return checksum == 0 ? 0xffff : checksum;
  }
}
