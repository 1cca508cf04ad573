package io.viaduct.tunnel.wire;

import java.util.Arrays;

/// Remembers authenticated sequences: the highest one and the 16383 below it (RFC 4303 §3.4.3).
///
/// The window is wider than the RFC's: at 10 Gbit/s it spans 18 ms of reordering. A sequence is
/// checked before the tag is verified, and marked afterwards. The memory grows with the sequences,
/// so that a session without traffic needs little.
public final class ReplayWindow {
  public static final int SEQUENCES = 16_384;
  private static final int WORDS = SEQUENCES / Long.SIZE;
  private static final int WORDS_AT_FIRST = 4;
  private long[] seen = new long[WORDS_AT_FIRST];
  private long highest = -1;

  /// Returns the highest authenticated sequence, −1 before the first.
  public long highest() {
    return highest;
  }

  /// Checks a sequence and changes nothing. @return ACCEPTED, TOO_OLD or REPLAYED
  public Verdict check(long sequence) {
    if (sequence > highest) {
      return Verdict.ACCEPTED;
    }
    if (sequence < 0 || highest - sequence >= SEQUENCES) {
      return Verdict.TOO_OLD;
    }
    return (seen[word(sequence)] & 1L << sequence) == 0 ? Verdict.ACCEPTED : Verdict.REPLAYED;
  }

  /// Marks the sequence of an authentic datagram as received. Call it only after [#check] has
  /// accepted the sequence.
  public void mark(long sequence) {
    if (sequence > highest) {
      hold(sequence);
      forget(sequence);
      highest = sequence;
    }
    seen[word(sequence)] |= 1L << sequence;
  }

  // While the highest sequence is within the first window, each word has a place of its own.
  private void hold(long upTo) {
    int last = upTo < SEQUENCES ? word(upTo) : WORDS - 1;
    if (last >= seen.length) {
      seen = Arrays.copyOf(seen, Integer.highestOneBit(last) * 2);
    }
  }

  private void forget(long upTo) {
    if (upTo - highest >= SEQUENCES) {
      Arrays.fill(seen, 0);
      return;
    }
    long next = highest + 1;
    while (next <= upTo) {
      if ((next & 63) == 0 && next + 63 <= upTo) {
        seen[word(next)] = 0;
        next += 64;
      } else {
        seen[word(next)] &= ~(1L << next);
        next++;
      }
    }
  }

  private static int word(long sequence) {
    return (int) (sequence >>> 6) & (WORDS - 1);
  }
}
