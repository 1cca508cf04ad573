package io.viaduct.tunnel.pacing;

/// The highest rate at which a path has delivered in the last one to two hours, in two halves. A
/// path carries at least that much; more is not known without filling it.
final class BestRate {
  private static final long HALF_NS = 3_600_000_000_000L;

  private double current;
  private double former;
  private long turnedNs;
  private boolean known;

  /// Takes a delivery rate in bytes per second.
  void delivered(double bytesPerSecond, long nowNs) {
    turn(nowNs);
    current = Math.max(current, bytesPerSecond);
  }

  /// Returns the rate in bytes per second; 0 if nothing was delivered.
  double bytesPerSecond(long nowNs) {
    turn(nowNs);
    return Math.max(current, former);
  }

  private void turn(long nowNs) {
    if (!known) {
      known = true;
      turnedNs = nowNs;
    } else if (nowNs - turnedNs >= HALF_NS) {
      former = nowNs - turnedNs < 2 * HALF_NS ? current : 0;
      current = 0;
      turnedNs = nowNs;
    }
  }
}
