package io.viaduct.tunnel.codec;

import java.util.Arrays;

/// Puts entropy tables in front of a dictionary's content, so that a small block need not carry its
/// own (RFC 8878 §5, "Dictionary Format").
///
/// The Huffman table of literals is derived from the content by integer arithmetic alone. So both
/// ends derive the same bytes from the same content. The three FSE tables are constants, found by
/// training on text, JSON and SIP; zstd uses them only where they are cheapest. The arrays are
/// reused for one dictionary after the other.
public final class EntropyTables {
  public static final int BYTES_MAX = 8 + 1 + 127 + 160 + 12;

  private static final int[] MAGIC = {0x37, 0xA4, 0x30, 0xEC, 1, 0, 0, 0};
  private static final int HASH_BITS = 14;

  private static final int MATCH_MIN = 5;
  private static final int BITS_MAX = 11;
  private static final int WEIGHT_LOG = 6;

  private static final int VALUES = 256;

  private final int[] seen = new int[1 << HASH_BITS];
  private final int[] count = new int[VALUES];
  private final int[] scaled = new int[VALUES];
  private final int[] weights = new int[VALUES - 1];
  private final HuffmanLengths lengths = new HuffmanLengths(VALUES);

  /// Writes the whole dictionary, or the content alone if its literals have no table of this form.
  ///
  /// @param dictionary has room for `length` and [#BYTES_MAX] bytes
  /// @return bytes of the dictionary
  public int dictionary(byte[] content, int length, byte[] dictionary) {
    int end = 0;
    for (int each : MAGIC) {
      dictionary[end++] = (byte) each;
    }
    countLiterals(content, length);
    end = huffman(dictionary, end);
    if (end < 0 || length < 64) {
      System.arraycopy(content, 0, dictionary, 0, length);
      return length;
    }
    System.arraycopy(SequenceTables.BYTES, 0, dictionary, end, SequenceTables.BYTES.length);
    end += SequenceTables.BYTES.length;
    System.arraycopy(content, 0, dictionary, end, length);
    return end + length;
  }

  /// Counts the literals of a greedy search for matches: for each byte value, its number in the
  /// second half of the content, which may match anything before it.
  private void countLiterals(byte[] content, int length) {
    Arrays.fill(count, 0);
    Arrays.fill(seen, 0);
    int from = Math.max(length / 2, length - 16_384);
    int at = 0;
    for (; at < from && at + MATCH_MIN <= length; at++) {
      seen[hash(content, at)] = at + 1;
    }
    while (at + MATCH_MIN <= length) {
      int slot = hash(content, at);
      int candidate = seen[slot] - 1;
      seen[slot] = at + 1;
      int match = candidate < 0 ? 0 : match(content, candidate, at, length);
      if (match < MATCH_MIN) {
        count[content[at++] & 0xFF]++;
        continue;
      }
      for (int end = at + match; ++at < end && at + MATCH_MIN <= length; ) {
        seen[hash(content, at)] = at + 1;
      }
    }
  }

  private static int match(byte[] bytes, int one, int other, int end) {
    int length = 0;
    while (other + length < end && bytes[one + length] == bytes[other + length]) {
      length++;
    }
    return length;
  }

  private static int hash(byte[] b, int at) {
    long five =
        (b[at] & 0xFFL)
            | (b[at + 1] & 0xFFL) << 8
            | (b[at + 2] & 0xFFL) << 16
            | (b[at + 3] & 0xFFL) << 24
            | (b[at + 4] & 0xFFL) << 32;
    return (int) (five * 0x9E3779B97F4A7C15L >>> 64 - HASH_BITS);
  }

  /// Writes a Huffman tree description (RFC 8878 §4.2.1). Every byte value gets a code. So a block
  /// with a byte that the content lacks can use the table too.
  ///
  /// @return the position behind it, −1 if the weights have no FSE form
  private int huffman(byte[] to, int at) {
    for (int s = 0; s < VALUES; s++) {
      scaled[s] = count[s] * 16 + 1;
    }
    int[] bits = lengths.of(scaled, BITS_MAX);
    int longest = 0;
    for (int each : bits) {
      longest = Math.max(longest, each);
    }
    for (int s = 0; s < weights.length; s++) {
      weights[s] = longest + 1 - bits[s];
    }
    int end = FiniteStateEntropy.compress(weights, longest, WEIGHT_LOG, to, at + 1);
    int size = end - at - 1;
    if (end < 0 || size >= 128) {
      return -1;
    }
    to[at] = (byte) size;
    return end;
  }
}
