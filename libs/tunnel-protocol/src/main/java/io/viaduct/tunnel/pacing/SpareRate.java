package io.viaduct.tunnel.pacing;

/// Measures the rest of a path's capacity: what it could have carried beside its load.
public final class SpareRate {
  private int carriedBefore;
  private long measuredNs;
  private boolean known;

  /// Measures the time since the last call. Called a few times a second.
  ///
  /// @param capacityPerSecond bytes per second that the path is known to carry
  /// @param carriedBytes bytes of outer IP packets that it has carried, cumulative, low 32 bits
  /// @return bytes that it could have carried in that time beside its load
  public double measure(double capacityPerSecond, int carriedBytes, long nowNs) {
    long sinceNs = nowNs - measuredNs;
    double capacity = capacityPerSecond * sinceNs / 1e9;
    long load = Integer.toUnsignedLong(carriedBytes - carriedBefore);
    double spare = known ? Math.max(0, capacity - load) : 0;
    known = true;
    carriedBefore = carriedBytes;
    measuredNs = nowNs;
    return spare;
  }
}
