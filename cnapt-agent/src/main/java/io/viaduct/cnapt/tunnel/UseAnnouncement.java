package io.viaduct.cnapt.tunnel;

/// Knows whether the SNAPT has heard the present use of the paths. It is told by probes, again
/// every 50 ms until one of these probes is answered, five times at most; later probes tell it
/// anyway. Owner: the data path's event loop.
final class UseAnnouncement {
  static final int TIMES_MAX = 5;
  static final long SPACING_NS = 50_000_000;
  private static final long NEVER = Long.MAX_VALUE;

  private long decidedNs = NEVER;
  private long dueNs = NEVER;
  private int times;

  /// Takes a new decision, which is due to be told at once.
  void decided(long nowNs) {
    decidedNs = nowNs;
    dueNs = nowNs;
    times = 0;
  }

  /// Returns whether the SNAPT must be told now; the caller does it.
  boolean takeDue(long nowNs) {
    if (nowNs < dueNs) {
      return false;
    }
    times++;
    dueNs = times < TIMES_MAX ? nowNs + SPACING_NS : NEVER;
    return true;
  }

  /// Takes the answer to a probe. @return true if it is the first one to a probe with the decision
  boolean answered(long roundTripNs, long nowNs) {
    if (decidedNs == NEVER || nowNs - roundTripNs < decidedNs) {
      return false;
    }
    decidedNs = NEVER;
    dueNs = NEVER;
    return true;
  }

  /// Returns the time of the next [#takeDue].
  long dueNs() {
    return dueNs;
  }
}
