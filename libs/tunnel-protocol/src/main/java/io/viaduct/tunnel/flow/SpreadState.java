package io.viaduct.tunnel.flow;

/// State of a flow at the sender that fills its path, and perhaps travels by all paths. Owned by
/// the session's event loop.
public final class SpreadState {
  private long fromBytes;
  private long fromNs;
  private boolean spread;
  private long spreadNs;
  private long toldNs;
  private int lastPath = FlowState.NO_PATH;
  private long neededNs;

  /// Begins to measure the flow's rate.
  ///
  /// @param sentBytes bytes that the flow has sent
  public void measure(long sentBytes, long nowNs) {
    fromBytes = sentBytes;
    fromNs = nowNs;
  }

  /// Returns the time at which the measurement began.
  public long measuredFromNs() {
    return fromNs;
  }

  /// Returns the rate since the measurement began, in bytes per second.
  public double bytesPerSecond(long sentBytes, long nowNs) {
    return (sentBytes - fromBytes) * 1e9 / Math.max(1, nowNs - fromNs);
  }

  /// Notes the decision that the flow travels by all paths.
  ///
  /// @param tellEveryNs time between two announcements; the first one is due now
  public void spread(long tellEveryNs, long nowNs) {
    spread = true;
    spreadNs = nowNs;
    neededNs = nowNs;
    toldNs = nowNs - tellEveryNs;
  }

  public boolean isSpread() {
    return spread;
  }

  /// Returns the time of the decision.
  public long spreadNs() {
    return spreadNs;
  }

  /// Returns the time of the last announcement to the peer.
  public long toldNs() {
    return toldNs;
  }

  public void told(long nowNs) {
    toldNs = nowNs;
  }

  /// Notes the path of a packet.
  ///
  /// @param full true if the path had a standing queue
  public void took(int path, boolean full, long nowNs) {
    if (full || path != lastPath) {
      lastPath = path;
      neededNs = nowNs;
    }
  }

  /// Returns the last time at which one path was not enough: a packet took another path than the
  /// one before, or found its path full.
  public long neededNs() {
    return neededNs;
  }
}
