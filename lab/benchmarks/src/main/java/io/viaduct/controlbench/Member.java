package io.viaduct.controlbench;

/// The times of one member of a fleet. Thread-safe for one writer of each time.
final class Member {
  private static final long NEVER = Long.MIN_VALUE;

  private volatile long beganNs = NEVER;
  private volatile long servedNs = NEVER;

  /// The member begins, or the bridge dies.
  void begins(long nowNs) {
    beganNs = nowNs;
    servedNs = NEVER;
  }

  /// The member hears of the bridge. Only the first time since the begin counts.
  void served(long nowNs) {
    if (beganNs != NEVER && servedNs == NEVER) {
      servedNs = nowNs;
    }
  }

  boolean isServed() {
    return servedNs != NEVER;
  }

  long ms() {
    return (servedNs - beganNs) / 1_000_000;
  }
}
