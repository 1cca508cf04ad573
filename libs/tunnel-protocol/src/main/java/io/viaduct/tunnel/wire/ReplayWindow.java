package io.viaduct.tunnel.wire;

import java.util.Arrays;

/// Remembers authenticated sequences: the highest one and those below it (RFC 4303 §3.4.3). A
/// sequence is checked before the tag is verified, and marked afterwards.
///
/// The window is wider than the RFC's, so that datagrams of a slow path are not too old: it covers
/// [#COVERED_NS] at the rate of the sequences. It has [#SEQUENCES_MIN], grows by powers of two up
/// to [#SEQUENCES_MAX], 32 KiB, within a tenth of a second, and is halved when ten seconds have not
/// needed it. Only authentic datagrams make it grow. The memory of a new window grows with the
/// sequences, so that a session without traffic needs little.
public final class ReplayWindow {
  /// Sequences of a window without much traffic, 2 KiB: 250 ms of 65,536 datagrams/s.
  public static final int SEQUENCES_MIN = 1 << 14;

  /// Sequences of the widest window, 32 KiB: 250 ms of 1,048,576 datagrams/s.
  public static final int SEQUENCES_MAX = 1 << 18;

  /// Difference of the delays of two paths that is covered: as long as a receiver waits for a
  /// segment of a spread flow.
  public static final long COVERED_NS = 250_000_000;

  static final long MEASURED_NS = 100_000_000;
  static final long KEPT_NS = 10_000_000_000L;
  private static final int WORDS_AT_FIRST = 4;

  // A session has eight paths at most, and all but the fastest one may be late.
  private static final int PER_MARKED_MAX = 8;

  private long[] seen = new long[WORDS_AT_FIRST];
  private int words = SEQUENCES_MIN / Long.SIZE;
  private long highest = -1;
  private long floor; // what is below was forgotten
  private long measuredNs;
  private long neededNs; // when more than half of the window was needed
  private long measuredHighest = -1; // at measuredNs
  private int marked; // since measuredNs

  /// Returns the highest authenticated sequence, −1 before the first.
  public long highest() {
    return highest;
  }

  /// Returns the number of sequences that the window has now.
  int sequences() {
    return words * Long.SIZE;
  }

  /// Checks a sequence and changes nothing. @return ACCEPTED, TOO_OLD or REPLAYED
  public Verdict check(long sequence) {
    if (sequence > highest) {
      return Verdict.ACCEPTED;
    }
    if (sequence < floor || highest - sequence >= sequences()) {
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
    marked++;
  }

  /// Fits the window to the rate of the datagrams that were marked. To be called after [#mark].
  public void fit(long nowNs) {
    long ns = nowNs - measuredNs;
    if (ns < MEASURED_NS) {
      return;
    }
    // Those that are too old advance the sequence, too; a leap alone does not count.
    long passed = Math.min(highest - measuredHighest, (long) marked * PER_MARKED_MAX);
    long needed = (long) (passed * ((double) COVERED_NS / ns));
    boolean isFirst = measuredNs == 0;
    measuredNs = nowNs;
    measuredHighest = highest;
    marked = 0;
    if (isFirst) {
      return; // the time before is not known
    }
    if (needed > sequences() / 2) {
      neededNs = nowNs;
    }
    if (needed > sequences() && words < SEQUENCES_MAX / Long.SIZE) {
      resize((int) Math.min(needed, SEQUENCES_MAX));
    } else if (words > SEQUENCES_MIN / Long.SIZE && nowNs - neededNs >= KEPT_NS) {
      resize(sequences() / 2);
      neededNs = nowNs;
    }
  }

  // Keeps whole words: the oldest one is shared with the newest, and is forgotten.
  private void resize(int least) {
    int next = Math.max(SEQUENCES_MIN, Integer.highestOneBit(least - 1) * 2) / Long.SIZE;
    long newest = highest >>> 6;
    long oldest = Math.max(Math.max(floor >>> 6, 0), newest - Math.min(words, next) + 1);
    long[] moved = new long[next];
    for (long each = oldest; each <= newest; each++) {
      moved[(int) each & next - 1] = seen[(int) each & words - 1];
    }
    if (newest >= words) {
      // Its higher bits are of the word that it has replaced.
      moved[(int) newest & next - 1] &= -1L >>> (63 - (highest & 63));
    }
    seen = moved;
    words = next;
    floor = Math.max(floor, oldest << 6);
  }

  // While the highest sequence is within the first window, each word has a place of its own.
  private void hold(long upTo) {
    int last = upTo < sequences() ? word(upTo) : words - 1;
    if (last >= seen.length) {
      seen = Arrays.copyOf(seen, Integer.highestOneBit(last) * 2);
    }
  }

  private void forget(long upTo) {
    if (upTo - highest >= sequences()) {
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

  private int word(long sequence) {
    return (int) (sequence >>> 6) & (words - 1);
  }
}
