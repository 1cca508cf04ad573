package io.viaduct.cnapt.mobility;

/// Notices within 300 ms that nothing arrives from a SNAPT by any path, so that new flows can have
/// another SNAPT. [PathWatch] judges slower: it decides about the network and the sockets that are
/// open. Owner: the data path's event loop, which passes the time as an argument and calls [#tick]
/// at [#nextTickNs].
///
/// One distance after a packet that nothing has followed a probe leaves, and another one half a
/// distance later. If nothing has come one more distance later, the line is silent, until anything
/// comes. A distance is one and a half round trips, 80 ms at least: the silence is noticed after
/// 200 ms up to a round trip of 53 ms, and after 300 ms up to one of 80 ms.
///
/// If the control connection breaks, the SNAPT is asked at once, and distances may be as short as
/// 30 ms: the kernel of a host whose process dies closes its connections.
///
/// A peer that only listens answers nothing of its own, so each probe must be paid for by 8 kB that
/// were carried; those of six probes are remembered. A silence that was none costs little: some new
/// flows have another SNAPT.
public final class LineSilence {
  /// The action that the owner must take now.
  public enum Decision {
    WAIT,
    /// Send a probe by each path.
    PROBE,
    /// Nothing comes from the SNAPT: new flows should go elsewhere.
    SILENT
  }

  static final int PROBES = 2;
  static final long DISTANCE_NS_MIN = 80_000_000;
  static final long SUSPECTED_NS_MIN = 30_000_000;

  /// Bytes that must be carried for each probe, so that probes and answers cost at most 2 %.
  static final int BYTES_MIN = 8_000;

  private static final int BYTES_MAX = 6 * BYTES_MIN;

  /// Lateness of a tick from which the silence may be that of this process.
  static final long LATE_NS = 10_000_000;

  private static final long NEVER = Long.MAX_VALUE;

  private long roundTripNs;
  private long dueNs = NEVER;
  private long sentNs;
  private int carried = BYTES_MAX;
  private int probes;
  private boolean asked; // packets have left since the last datagram
  private boolean excused; // once for each decision, or a busy processor would put it off for ever
  private boolean suspected;
  private boolean silent;

  /// Records packets that have left.
  public void sent(int bytes, long nowNs) {
    carried = (int) Math.min(BYTES_MAX, (long) carried + bytes);
    if (!asked) {
      asked = true;
      sentNs = nowNs;
    }
    if (dueNs == NEVER && !silent && carried >= PROBES * BYTES_MIN) {
      dueNs = Math.max(nowNs, sentNs + distanceNs());
    }
  }

  /// Asks the SNAPT at once, because its control connection is lost.
  public void suspect(long nowNs) {
    if (!silent) {
      suspected = true;
      asked = true;
      sentNs = nowNs;
      probes = 0;
      dueNs = nowNs;
    }
  }

  /// Records an authentic datagram.
  ///
  /// @return true if the line was silent or suspected
  public boolean heard(int bytes) {
    boolean was = silent || suspected;
    carried = (int) Math.min(BYTES_MAX, (long) carried + bytes);
    reset();
    return was;
  }

  /// Sets the smoothed round trip to the SNAPT.
  public void roundTrip(long smoothedNs) {
    roundTripNs = smoothedNs;
  }

  /// Forgets a silence, because the network has changed or another session has begun.
  public void reset() {
    dueNs = NEVER;
    probes = 0;
    asked = false;
    excused = false;
    suspected = false;
    silent = false;
  }

  /// Returns the action for this time.
  public Decision tick(long nowNs) {
    if (nowNs < dueNs) {
      return Decision.WAIT;
    }
    if (nowNs - dueNs > LATE_NS && !excused) {
      excused = true; // what waits in the socket is read first
      dueNs = nowNs + LATE_NS;
      return Decision.WAIT;
    }
    excused = false;
    if (probes == PROBES) {
      silent = true;
      dueNs = NEVER;
      return Decision.SILENT;
    }
    probes++;
    carried = Math.max(0, carried - BYTES_MIN);
    // Only the last probe must have the time for its answer.
    dueNs = nowNs + (probes == PROBES ? distanceNs() : distanceNs() / 2);
    return Decision.PROBE;
  }

  private long distanceNs() {
    long leastNs = suspected ? SUSPECTED_NS_MIN : DISTANCE_NS_MIN;
    return Math.max(leastNs, roundTripNs + roundTripNs / 2);
  }

  /// Returns the time of the next decision of [#tick].
  public long nextTickNs() {
    return dueNs;
  }

  /// Returns whether the SNAPT is asked because its control connection is lost.
  public boolean isSuspected() {
    return suspected && !silent;
  }

  /// Returns whether nothing comes from the SNAPT.
  public boolean isSilent() {
    return silent;
  }
}
