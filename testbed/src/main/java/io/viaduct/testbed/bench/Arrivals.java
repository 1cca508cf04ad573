package io.viaduct.testbed.bench;

/// The longest silence among packets from a moment on. Written by the receiving thread, read by the
/// measuring one.
final class Arrivals {
  private static final long QUIET_NS = 100_000_000; // a silence that counts as an interruption
  private static final long FLOWING_NS = 1_000_000_000;

  private long watchedFromNs = Long.MAX_VALUE;
  private long lastNs;
  private long flowingSinceNs;
  private long longestNs;
  private long count;

  /// Silences that end after this moment are counted.
  synchronized void watch(long nowNs) {
    watchedFromNs = nowNs;
    flowingSinceNs = nowNs;
  }

  synchronized void onPacket(long nowNs) {
    if (count++ > 0) {
      long silence = nowNs - lastNs;
      if (nowNs >= watchedFromNs) {
        longestNs = Math.max(longestNs, silence);
      }
      if (silence > QUIET_NS) {
        flowingSinceNs = nowNs;
      }
    }
    lastNs = nowNs;
  }

  /// Whether packets have come for a second without an interruption.
  synchronized boolean flowAgain(long nowNs) {
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
