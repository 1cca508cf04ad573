package io.viaduct.testbed.bench;

/// Measures the longest pause between packets from a given moment on. The receiving thread writes,
/// the measuring thread reads.
final class Arrivals {
  private static final long QUIET_NS = 100_000_000; // a longer pause counts as an interruption
  private static final long FLOWING_NS = 1_000_000_000;

  private long watchedFromNs = Long.MAX_VALUE;
  private long lastNs;
  private long flowingSinceNs;
  private long longestNs;
  private long count;

  /// Starts the measurement: pauses that end after this moment count.
  synchronized void watch(long nowNs) {
    watchedFromNs = nowNs;
    flowingSinceNs = nowNs;
  }

  synchronized void onPacket(long nowNs) {
    if (count++ > 0) {
      long silenceNs = nowNs - lastNs;
      if (nowNs >= watchedFromNs) {
        longestNs = Math.max(longestNs, silenceNs);
      }
      if (silenceNs > QUIET_NS) {
        flowingSinceNs = nowNs;
      }
    }
    lastNs = nowNs;
  }

  /// Returns true when packets have come for a second without an interruption.
  synchronized boolean isFlowingAgain(long nowNs) {
    return nowNs - lastNs < QUIET_NS
        && nowNs - flowingSinceNs > FLOWING_NS
        && nowNs - watchedFromNs > FLOWING_NS;
  }

  synchronized long count() {
    return count;
  }

  synchronized long longestNs() {
    return longestNs;
  }
}
