package io.viaduct.billing.settlement;

import java.util.Comparator;

/// Identity of a charging interval.
///
/// @param snapt id of the SNAPT, which owns epoch and sequence
/// @param session of one device at it
/// @param epoch start counter of the SNAPT
/// @param sequence 0, 1, 2 ... per session and epoch
public record IntervalKey(String snapt, String session, long epoch, long sequence)
    implements Comparable<IntervalKey> {
  private static final Comparator<IntervalKey> ORDER =
      Comparator.comparing(IntervalKey::snapt)
          .thenComparing(IntervalKey::session)
          .thenComparingLong(IntervalKey::epoch)
          .thenComparingLong(IntervalKey::sequence);

  @Override
  public int compareTo(IntervalKey other) {
    return ORDER.compare(this, other);
  }

  /// As one word, e.g. `snapt-1/8f6c.../2/17`.
  public String text() {
    return snapt + "/" + session + "/" + epoch + "/" + sequence;
  }
}
