package io.viaduct.cnapt.tunnel;

/// Decides when a path that was left may carry data again: 500 ms after the SNAPT's first answer.
/// If it is left again within 30 s of its return, the time doubles, up to 60 s. So a path that
/// flaps carries little, whether its link goes down, becomes silent under traffic, or answers few
/// of its probes. It belongs to the link and outlives its sockets. Owner: the data path's event
/// loop.
final class HoldTime {
  static final long HOLD_NS_MIN = 500_000_000;
  static final long HOLD_NS_MAX = 60_000_000_000L;
  static final long FLAP_NS = 30_000_000_000L;

  private long holdNs;
  private long usableNs;
  private long returnedNs;

  HoldTime(long nowNs) {
    usableNs = nowNs;
    returnedNs = nowNs - FLAP_NS;
  }

  /// Records that traffic has left the path.
  void left(long nowNs) {
    boolean flaps = nowNs - returnedNs < FLAP_NS;
    holdNs = flaps ? Math.clamp(2 * holdNs, HOLD_NS_MIN, HOLD_NS_MAX) : HOLD_NS_MIN;
  }

  /// Records the first answer after a change or a silence.
  void found(long nowNs) {
    usableNs = nowNs + holdNs;
    returnedNs = usableNs;
  }

  /// Starts anew on another network, which has no history.
  void networkChanged(long nowNs) {
    holdNs = 0;
    usableNs = nowNs;
  }

  /// Returns the time from which the path may carry data.
  long usableNs() {
    return usableNs;
  }
}
