package io.viaduct.sip.aka;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// Sequence numbers of challenges from the clock (3GPP TS 33.102 annexes C.1.1.3 and C.3.3):
/// nothing is written for a challenge, and a restart needs no memory. A number is 43 bits of SEQ,
/// the seconds since 2026, and 5 bits of IND, which count. A card accepts a number if its SEQ is
/// above the last one with the same IND, so challenges may overtake each other or get lost.
/// Seconds, not the tenths of the annex, because a new card then takes the leap from zero until
/// 2034.
///
/// A card that is ahead of the clock, or too far behind it, answers with its own number. From then
/// on its numbers have an offset. If the offset is lost with the process, the card answers so once
/// more. Thread-safe.
public final class SequenceNumbers {
  private static final long START_MS = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
  private static final long TICK_MS = 1000;
  private static final int IND_BITS = 5;
  private static final long SEQ_MASK = (1L << 43) - 1;

  /// The largest leap of SEQ that a card accepts (annex C.3.3: Delta).
  private static final long LEAP_MAX = 1L << 28;

  // Only a card that has proved its key has an offset, so the number of cards bounds the map.
  private final Map<String, Long> offsets = new ConcurrentHashMap<>();
  private final AtomicInteger count = new AtomicInteger();

  /// Returns the number of a new challenge, 48 bits.
  public long next(String user, long nowMs) {
    long ind = count.getAndIncrement() & ((1 << IND_BITS) - 1);
    return seq(user, nowMs) << IND_BITS | ind;
  }

  /// Takes over the number of a card that refused one of ours. A number that the card would accept
  /// anyway changes nothing: the answer may be a repeated one.
  ///
  /// @param sequence of the card, 48 bits, proved by its MAC-S
  public void resynchronise(String user, long sequence, long nowMs) {
    long theirs = sequence >>> IND_BITS;
    long lead = seq(user, nowMs) - theirs;
    if (lead <= 0 || lead > LEAP_MAX) {
      offsets.put(user, theirs + 1 - ticks(nowMs));
    }
  }

  private long seq(String user, long nowMs) {
    return (ticks(nowMs) + offsets.getOrDefault(user, 0L)) & SEQ_MASK;
  }

  // A clock that is not set yet must not lead to a number near the end of the range.
  private static long ticks(long nowMs) {
    return Math.max(1, (nowMs - START_MS) / TICK_MS);
  }
}
