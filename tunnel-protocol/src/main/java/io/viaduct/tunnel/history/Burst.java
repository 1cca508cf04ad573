package io.viaduct.tunnel.history;

/// Whether one direction carries more than a slow line brings: 32 KiB in each millisecond of a
/// window, which are 256 Mbit/s. For a tenth of a second after that it is taken to go on.
final class Burst {
  static final int BYTES_PER_MS = 32 * 1024;
  private static final long FOR_NS = 100_000_000;

  private final long windowNs;
  private final int windowBytes;
  private long beganNs;
  private int bytes;
  private long burstNs;
  private boolean ever;

  Burst(int windowMs) {
    windowNs = windowMs * 1_000_000L;
    windowBytes = windowMs * BYTES_PER_MS;
  }

  /// So much has come.
  ///
  /// @return whether a burst begins with it
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
