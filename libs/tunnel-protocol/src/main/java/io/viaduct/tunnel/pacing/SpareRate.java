package io.viaduct.tunnel.pacing;

/// Measures the rest of a path's capacity: what it could have carried beside its load.
public final class SpareRate {
  private long sentBefore;
  private long measuredNs;
  private boolean known;

  /// Measures the time since the last call. Called a few times a second.
  ///
  /// @return bytes of outer IP packets that could have left in that time beside the load
  public double measure(Pacer pacer, long nowNs) {
    long sinceNs = nowNs - measuredNs;
    double carried = pacer.capacityPerSecond(nowNs) * sinceNs / 1e9;
    double spare = known ? Math.max(0, carried - (pacer.sentBytes() - sentBefore)) : 0;
    known = true;
    sentBefore = pacer.sentBytes();
    measuredNs = nowNs;
    return spare;
  }
}
