package io.viaduct.tunnel.pacing;

/// Measures the rest of a path's capacity in an interval: what it could have carried beside its
/// load. What the path is known to carry at the end counts for the whole interval, since a path is
/// not known before it has carried something.
public final class SpareRate {
  private long carriedBefore;
  private long startNs;

  /// Starts an interval.
  ///
  /// @param carriedBytes bytes of outer IP packets that the path has carried, cumulative
  public void start(long carriedBytes, long nowNs) {
    carriedBefore = carriedBytes;
    startNs = nowNs;
  }

  /// Returns the bytes that the path could have carried since the start beside its load.
  ///
  /// @param capacityPerSecond bytes per second that the path is known to carry
  /// @param carriedBytes as in [#start]
  public double bytes(double capacityPerSecond, long carriedBytes, long nowNs) {
    double capacity = capacityPerSecond * (nowNs - startNs) / 1e9;
    return Math.max(0, capacity - (carriedBytes - carriedBefore));
  }
}
