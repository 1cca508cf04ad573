package io.viaduct.tunnel.dictionary;

/// Remembers which of the last 16384 datagrams were processed as a whole: all their blocks have
/// entered the history.
final class ProcessedSequences {
  static final int SIZE = 16_384;

  private final long[] words = new long[SIZE / 64];
  private long highest = -1;

  long highest() {
    return highest;
  }

  void mark(long sequence) {
    if (sequence > highest) {
      long cleared = Math.max(highest + 1, sequence - SIZE + 1);
      for (long s = cleared; s < sequence; s++) {
        words[word(s)] &= ~(1L << s);
      }
      highest = sequence;
    } else if (highest - sequence >= SIZE) {
      return;
    }
    words[word(sequence)] |= 1L << sequence;
  }

  boolean has(long sequence) {
    return sequence >= 0
        && sequence <= highest
        && highest - sequence < SIZE
        && (words[word(sequence)] & 1L << sequence) != 0;
  }

  private static int word(long sequence) {
    return (int) (sequence >>> 6) & words() - 1;
  }

  private static int words() {
    return SIZE / 64;
  }
}
