package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;

/// Computes the Internet checksum (RFC 1071): the one's complement sum of 16-bit words.
///
/// Also covers the pseudo headers of TCP and UDP (RFC 9293 §3.1, RFC 8200 §8.1), and the change of
/// a checksum when a field changes (RFC 1624).
public final class InternetChecksum {
  private InternetChecksum() {}

  /// Adds the bytes to a sum and does not fold it.
  ///
  /// @param start first byte, an even number of bytes behind the start of the whole sum
  /// @param initial the sum so far
  public static long sum(byte[] bytes, int start, int length, long initial) {
    long sum = initial;
    int at = start;
    int end = start + length;
    for (; at + 8 <= end; at += 8) {
      long word = BigEndian.getLong(bytes, at);
      sum += (word >>> 32) + (word & 0xFFFF_FFFFL);
    }
    if (at + 4 <= end) {
      sum += BigEndian.getInt(bytes, at) & 0xFFFF_FFFFL;
      at += 4;
    }
    if (at + 2 <= end) {
      sum += BigEndian.getShort(bytes, at);
      at += 2;
    }
    return at < end ? sum + ((bytes[at] & 0xFF) << 8) : sum;
  }

  /// Adds bytes of a buffer to a sum, as [#sum(byte[], int, int, long)] does for an array.
  public static long sum(ByteBuf bytes, int start, int length, long initial) {
    long sum = initial;
    int at = start;
    int end = start + length;
    for (; at + 8 <= end; at += 8) {
      long word = bytes.getLong(at);
      sum += (word >>> 32) + (word & 0xFFFF_FFFFL);
    }
    for (; at + 2 <= end; at += 2) {
      sum += bytes.getUnsignedShort(at);
    }
    return at < end ? sum + (bytes.getUnsignedByte(at) << 8) : sum;
  }

  /// Returns the sum of an address given as two longs (IPv4: the low 32 bits of `low`).
  public static long address(long high, long low, boolean ipv4) {
    long sum = low & 0xFFFF_FFFFL;
    return ipv4 ? sum : sum + (low >>> 32) + (high >>> 32) + (high & 0xFFFF_FFFFL);
  }

  /// Folds a sum to 16 bits, not complemented.
  public static int fold(long sum) {
    long folded = (sum & 0xFFFF_FFFFL) + (sum >>> 32);
    folded = (folded & 0xFFFF) + (folded >>> 16);
    folded = (folded & 0xFFFF) + (folded >>> 16);
    folded = (folded & 0xFFFF) + (folded >>> 16);
    return (int) folded;
  }

  /// Returns the checksum field for a sum.
  public static int of(long sum) {
    return ~fold(sum) & 0xFFFF;
  }

  /// Returns the difference between two sums, folded. One's complement subtracts by adding the
  /// complement.
  public static int change(long before, long after) {
    return fold(after + of(before));
  }

  // = rfc1624#3
  // # HC' = ~(~HC + ~m + m')
  /// Returns the checksum field after the sum of the covered bytes has changed by `change`.
  public static int corrected(int checksum, long change) {
    return of((~checksum & 0xFFFF) + change);
  }

  /// Finishes a partial transport checksum in place. The field at `field` holds the folded sum of
  /// the pseudo header.
  public static void complete(ByteBuf packet, int transport, int transportBytes, int field) {
    int checksum = of(sum(packet, transport, transportBytes, 0));
    // A computed zero is sent as ones (RFC 768). For TCP both are the same number.
    packet.setShort(field, checksum == 0 ? 0xFFFF : checksum);
  }
}
