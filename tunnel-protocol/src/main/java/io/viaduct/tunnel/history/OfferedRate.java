package io.viaduct.tunnel.history;

/// How fast payload comes that might be compressed, over the last 160 ms.
final class OfferedRate {
  private static final long WINDOW_NS = 20_000_000;

  /// Of some flows together a window holds half as much again, or as little, as the next: a step
  /// that was left for that comes back a second later. A stream shows in the first window.
  private static final double SMOOTHING_NS = 8.0 * WINDOW_NS;

  private double bytesPerSecond;
  private long windowNs;
  private long windowBytes;

  void offered(int bytes, long nowNs) {
    windowBytes += bytes;
    long elapsed = nowNs - windowNs;
    if (elapsed >= WINDOW_NS) {
      double rate = windowBytes * 1e9 / elapsed;
      bytesPerSecond += (rate - bytesPerSecond) * Math.min(1, elapsed / SMOOTHING_NS);
      windowBytes = 0;
      windowNs = nowNs;
    }
  }

  double bytesPerSecond() {
    return bytesPerSecond;
  }
}
