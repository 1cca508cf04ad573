package io.viaduct.tunnel.dictionary;

import java.util.Arrays;

/// Holds the plain text of the last blocks of one context, each with the sequence of its datagram.
/// A ring of bytes and a ring of entries grow up to a bound. A block that is encoded but not yet
/// sealed has no sequence and belongs to no epoch.
final class BlockLog {
  static final int BLOCKS_MAX = 2_048;
  static final long UNSEALED = -1;
  private static final int BYTES_MIN = 4_096;
  private static final int BLOCKS_MIN = 64;

  private final int capacity;
  private byte[] ring = new byte[BYTES_MIN];
  private long[] sequences = new long[BLOCKS_MIN];
  private long[] starts = new long[BLOCKS_MIN];
  private int[] lengths = new int[BLOCKS_MIN];
  private long first;
  private long next;
  private long written;
  private long evictedHighest = -1;

  /// Creates an empty log.
  ///
  /// @param capacity bytes, a power of two
  BlockLog(int capacity) {
    this.capacity = Math.max(BYTES_MIN, capacity);
  }

  /// Returns the heap bytes that the log holds.
  int heldBytes() {
    return ring.length + 20 * sequences.length;
  }

  /// Returns the number of bytes ever entered.
  long written() {
    return written;
  }

  /// Returns the highest sequence of an evicted block.
  long evictedHighest() {
    return evictedHighest;
  }

  void forgetUpTo(long sequence) {
    evictedHighest = Math.max(evictedHighest, sequence);
  }

  /// Begins a block. The caller then appends its bytes with [#append].
  ///
  /// @return its number, −1 if it is larger than the log
  long begin(int length, long sequence) {
    if (length > capacity) {
      return -1;
    }
    while (next - first == BLOCKS_MAX || bytes() + length > capacity) {
      evict();
    }
    if (bytes() + length > ring.length) {
      growBytes(bytes() + length);
    }
    if (next - first == sequences.length) {
      growBlocks();
    }
    int slot = slot(next);
    sequences[slot] = sequence;
    starts[slot] = written;
    lengths[slot] = length;
    return next++;
  }

  void append(byte[] from, int at, int length) {
    int position = (int) written & ring.length - 1;
    int head = Math.min(length, ring.length - position);
    System.arraycopy(from, at, ring, position, head);
    System.arraycopy(from, at + head, ring, 0, length - head);
    written += length;
  }

  /// Sets the sequence of a block whose datagram was sealed.
  void sealed(long block, long sequence) {
    if (block >= first && block < next) {
      sequences[slot(block)] = sequence;
    } else if (block >= 0) {
      forgetUpTo(sequence);
    }
  }

  /// Returns the bytes entered behind the newest block whose sequence is not above this one.
  long writtenAfter(long sequence) {
    for (long block = next - 1; block >= first; block--) {
      long s = sequences[slot(block)];
      if (s != UNSEALED && s <= sequence) {
        return written - starts[slot(block)] - lengths[slot(block)];
      }
    }
    return bytes();
  }

  /// Writes the sealed blocks with a sequence above all evicted ones to an array, in the order of
  /// their sequences.
  ///
  /// @param to has room for [#BLOCKS_MAX]
  /// @return number of blocks
  int order(long[] to) {
    int n = 0;
    for (long block = first; block < next; block++) {
      long sequence = sequences[slot(block)];
      if (sequence > evictedHighest) {
        to[n++] = sequence << 11 | block & BLOCKS_MAX - 1;
      }
    }
    Arrays.sort(to, 0, n);
    return n;
  }

  static long sequence(long ordered) {
    return ordered >> 11;
  }

  int length(long ordered) {
    return lengths[slot(block(ordered))];
  }

  /// Copies a block. @return the position behind the copy
  int copy(long ordered, byte[] to, int at) {
    int slot = slot(block(ordered));
    int position = (int) starts[slot] & ring.length - 1;
    int head = Math.min(lengths[slot], ring.length - position);
    System.arraycopy(ring, position, to, at, head);
    System.arraycopy(ring, 0, to, at + head, lengths[slot] - head);
    return at + lengths[slot];
  }

  private long block(long ordered) {
    return first + ((ordered & BLOCKS_MAX - 1) - first & BLOCKS_MAX - 1);
  }

  private int bytes() {
    return next == first ? 0 : (int) (written - starts[slot(first)]);
  }

  private void evict() {
    forgetUpTo(sequences[slot(first)]);
    first++;
  }

  private void growBytes(int needed) {
    int size = ring.length;
    while (size < needed) {
      size <<= 1;
    }
    byte[] larger = new byte[size];
    for (long at = written - bytes(); at < written; ) {
      int from = (int) at & ring.length - 1;
      int to = (int) at & size - 1;
      int run = (int) Math.min(written - at, Math.min(ring.length - from, size - to));
      System.arraycopy(ring, from, larger, to, run);
      at += run;
    }
    ring = larger;
  }

  private void growBlocks() {
    int size = sequences.length * 2;
    long[] newSequences = new long[size];
    long[] newStarts = new long[size];
    int[] newLengths = new int[size];
    for (long block = first; block < next; block++) {
      int from = slot(block);
      int to = (int) block & size - 1;
      newSequences[to] = sequences[from];
      newStarts[to] = starts[from];
      newLengths[to] = lengths[from];
    }
    sequences = newSequences;
    starts = newStarts;
    lengths = newLengths;
  }

  private int slot(long block) {
    return (int) block & sequences.length - 1;
  }
}
