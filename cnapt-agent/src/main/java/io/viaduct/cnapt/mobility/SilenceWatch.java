package io.viaduct.cnapt.mobility;

/// Notices within a few round trips that a busy path has become silent, so that another path can
/// take its traffic. [PathWatch] judges slower, for a path that nothing can replace. Owner: the
/// data path's event loop, which passes the time as an argument and calls [#tick] at [#nextTickNs].
///
/// A path is busy while datagrams arrive at short intervals. Eight usual intervals without a
/// datagram, 40 … 250 ms, cause a probe. Three probes that nothing answers, each in one and a
/// quarter round trips and 30 ms at least, mean that the path is silent. A stream that has merely
/// ended costs one probe, which its path answers.
///
/// A busy processor makes gaps too. Each probe must be paid for by 8 kB that have arrived, and
/// those of four probes are remembered, so that a gap that was none does not make the watch blind.
/// A tick that comes late gives the datagrams that wait in the socket a moment to be read.
public final class SilenceWatch {
  /// The action that the owner must take now.
  public enum Decision {
    WAIT,
    PROBE,
    /// Nothing arrives by this path any more: use another one.
    LEAVE
  }

  static final int PROBES = 3;
  static final long SILENCE_NS_MIN = 40_000_000;
  static final long SILENCE_NS_MAX = 250_000_000;
  static final long ANSWER_NS_MIN = 30_000_000;

  /// Interval above which arrivals are too rare to judge by.
  static final long BUSY_INTERVAL_NS = 150_000_000;

  /// Bytes that must have arrived for each probe, so that probes cost at most 2 % of them.
  static final int BYTES_MIN = 8_000;

  private static final int BYTES_MAX = 4 * BYTES_MIN;

  /// Lateness of a tick from which the silence may be that of this process.
  static final long LATE_NS = 10_000_000;

  private static final long NEVER = Long.MAX_VALUE;
  private static final int INTERVALS = 8;

  private long intervalNs = NEVER;
  private long heardNs;
  private long roundTripNs;
  private long dueNs = NEVER;
  private int arrived;
  private int probes;
  private boolean excused; // once for each decision, or a busy processor would put it off for ever

  /// Records an authentic datagram.
  ///
  /// @param bytes length of the datagram
  public void heard(int bytes, long nowNs) {
    long sinceNs = nowNs - heardNs;
    heardNs = nowNs;
    if (probes > 0) {
      arrived = Math.max(0, arrived - probes * BYTES_MIN);
      probes = 0;
      dueNs = NEVER; // this may be no more than the answer: the next datagram is waited for again
      return;
    }
    intervalNs =
        intervalNs == NEVER
            ? Math.min(sinceNs, BUSY_INTERVAL_NS)
            : intervalNs + (Math.min(sinceNs, BUSY_INTERVAL_NS) - intervalNs) / INTERVALS;
    arrived = Math.min(BYTES_MAX, arrived + bytes);
    boolean busy = intervalNs < BUSY_INTERVAL_NS && arrived >= BYTES_MIN;
    dueNs =
        busy ? nowNs + Math.clamp(INTERVALS * intervalNs, SILENCE_NS_MIN, SILENCE_NS_MAX) : NEVER;
  }

  /// Sets the smoothed round trip of the path.
  public void roundTrip(long smoothedNs) {
    roundTripNs = smoothedNs;
  }

  /// Forgets what was heard, because the path is not used.
  public void reset() {
    intervalNs = NEVER;
    dueNs = NEVER;
    arrived = 0;
    probes = 0;
  }

  /// Returns the action for this time.
  public Decision tick(long nowNs) {
    if (nowNs < dueNs) {
      return Decision.WAIT;
    }
    if (nowNs - dueNs > LATE_NS && !excused) {
      excused = true;
      dueNs = nowNs + LATE_NS;
      return Decision.WAIT;
    }
    excused = false;
    if (probes == PROBES) {
      reset();
      return Decision.LEAVE;
    }
    probes++;
    dueNs = nowNs + Math.max(ANSWER_NS_MIN, roundTripNs + roundTripNs / 4);
    return Decision.PROBE;
  }

  /// Returns the time of the next decision of [#tick].
  public long nextTickNs() {
    return dueNs;
  }
}
