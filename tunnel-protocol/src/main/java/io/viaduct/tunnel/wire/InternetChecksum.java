package io.viaduct.tunnel.wire;

import io.netty.buffer.ByteBuf;

/// The Internet checksum (RFC 1071): one's complement sum of 16-bit words, and the pseudo headers
/// of TCP and UDP (RFC 9293 §3.1, RFC 8200 §8.1), and its change when a field changes (RFC 1624).
public final class InternetChecksum {
  private InternetChecksum() {}

  /// Sum of the bytes, not folded; `start` must be at an even distance from where the sum began.
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

  /// The same over a buffer.
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

  /// Sum of an address given as two longs (IPv4: the low 32 bits of `low`).
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

  /// The checksum field for a sum.
  public static int of(long sum) {
    return ~fold(sum) & 0xFFFF;
  }

  /// The difference between two sums, folded: one's complement subtracts by adding the complement.
  public static int change(long before, long after) {
    return fold(after + of(before));
  }

  // = rfc1624#3
  // # HC' = ~(~HC + ~m + m')
  /// The checksum field after the sum of what it covers has changed by `change`.
  public static int corrected(int checksum, long change) {
    return of((~checksum & 0xFFFF) + change);
  }

  /// Finishes a partial transport checksum in place: the field at `field` holds the folded pseudo
  /// header sum.
  public static void complete(ByteBuf packet, int transport, int transportBytes, int field) {
    int checksum = of(sum(packet, transport, transportBytes, 0));
    // RFC 768: a computed zero is sent as ones; for TCP both are the same number.
    packet.setShort(field, checksum == 0 ? 0xFFFF : checksum);
  }
}
