package io.viaduct.billing.rating;

/// An amount of use of one application by one session: what its charge depends on at most.
///
/// @param bytes inner IP bytes; of a call its seconds, see [#ofSeconds]
/// @param flowMs sum of the durations of its flows, milliseconds
/// @param intervalMs sum of the lengths of the intervals, milliseconds
public record Use(long bytes, long flowMs, long intervalMs) {
  public static final Use NONE = new Use(0, 0, 0);

  /// A time that is not known. It is longer than any time, and sums of it do not overflow.
  public static final long UNKNOWN_MS = Long.MAX_VALUE / 4;

  /// Returns the use of a call, whose quota counts seconds as others count bytes. The times of
  /// flows and intervals bound nothing there.
  public static Use ofSeconds(long seconds) {
    return new Use(seconds, UNKNOWN_MS, UNKNOWN_MS);
  }

  /// Returns the sum.
  public Use plus(Use other) {
    return new Use(
        bytes + other.bytes, sum(flowMs, other.flowMs), sum(intervalMs, other.intervalMs));
  }

  /// Returns the part of this total that another total does not cover: nothing if all bytes or the
  /// whole time are covered. If the flows have lived longer than this total says, their time is not
  /// known: more of them were opened.
  public Use beyond(Use covered) {
    boolean isOver = intervalMs < UNKNOWN_MS && intervalMs <= covered.intervalMs;
    return bytes <= covered.bytes || isOver
        ? NONE
        : new Use(
            bytes - covered.bytes,
            rest(flowMs, covered.flowMs),
            rest(intervalMs, covered.intervalMs));
  }

  private static long sum(long ms, long more) {
    return Math.min(UNKNOWN_MS, ms + more);
  }

  private static long rest(long ms, long coveredMs) {
    return ms >= UNKNOWN_MS || ms <= coveredMs ? UNKNOWN_MS : ms - coveredMs;
  }
}
