package io.viaduct.tunnel.codec;

/// Measures the rate of compressible payload over the last 160 ms.
final class OfferedRate {
  private static final long WINDOW_NS = 20_000_000;

  /// Time constant of the mean. With several flows, neighbouring windows differ by half: without
  /// smoothing, a step left because of one window would return a second later. A steady stream
  /// shows in the first window.
  private static final double SMOOTHING_NS = 8.0 * WINDOW_NS;

  private double bytesPerSecond;
  private long windowNs;
  private long windowBytes;

  void offered(int bytes, long nowNs) {
    windowBytes += bytes;
    long elapsedNs = nowNs - windowNs;
    if (elapsedNs >= WINDOW_NS) {
      double rate = windowBytes * 1e9 / elapsedNs;
      bytesPerSecond += (rate - bytesPerSecond) * Math.min(1, elapsedNs / SMOOTHING_NS);
      windowBytes = 0;
      windowNs = nowNs;
    }
  }

  double bytesPerSecond() {
    return bytesPerSecond;
  }
}
