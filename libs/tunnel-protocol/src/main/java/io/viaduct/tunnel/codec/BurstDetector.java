package io.viaduct.tunnel.codec;

/// Detects bursts: at least 32 KiB in each millisecond of a window, which is 256 Mbit/s. A burst is
/// taken to last for another 100 ms.
final class BurstDetector {
  static final int BYTES_PER_MS = 32 * 1024;
  private static final long FOR_NS = 100_000_000;

  private final long windowNs;
  private final int windowBytes;
  private long beganNs;
  private int bytes;
  private long burstNs;
  private boolean ever;

  BurstDetector(int windowMs) {
    windowNs = windowMs * 1_000_000L;
    windowBytes = windowMs * BYTES_PER_MS;
  }

  /// Counts arrived bytes.
  ///
  /// @return true if a burst begins with them
  boolean arrived(int length, long nowNs) {
    if (nowNs - beganNs >= windowNs) {
      beganNs = nowNs;
      bytes = 0;
    }
    bytes += length;
    if (bytes < windowBytes) {
      return false;
    }
    boolean before = isRecent(nowNs);
    burstNs = nowNs;
    ever = true;
    return !before;
  }

  boolean isRecent(long nowNs) {
    return ever && nowNs - burstNs < FOR_NS;
  }
}
