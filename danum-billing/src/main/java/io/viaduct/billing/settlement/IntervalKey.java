package io.viaduct.billing.settlement;

import java.util.Comparator;

/// Identity of a charging interval.
///
/// @param snapt id of the SNAPT, which assigns epoch and sequence
/// @param session id of the device's session at this SNAPT
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

  private static final String OF_DEVICE = "device:";

  /// Returns the key of the interval that a device's report of this interval bills. A SNAPT cannot
  /// use its session's name, because of the colon; another report has another number.
  ///
  /// @param report number of the stored report. It names no account, so an erasure has nothing to
  ///   change in a key
  IntervalKey byDevice(long report) {
    return new IntervalKey(snapt, OF_DEVICE + report + ":" + session, epoch, sequence);
  }

  /// Returns true if an interval of this session is billed by a device's report.
  public static boolean isByDevice(String session) {
    return session.startsWith(OF_DEVICE);
  }

  /// Returns the key as text, e.g. `snapt-1/8f6c.../2/17`.
  public String text() {
    return snapt + "/" + session + "/" + epoch + "/" + sequence;
  }
}
