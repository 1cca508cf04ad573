package io.viaduct.tunnel.pacing;

/// Keeps the least one-way delay of the last 10 to 20 s, in two halves (RFC 6817 §2.4.2 keeps ten).
/// This is the path's delay without a queue. The values are differences between two unsynchronised
/// clocks, in µs: only changes count.
final class BaseDelay {
  private static final long HALF_NS = 10_000_000_000L;
  private boolean known;
  private int current;
  private int former;
  private long turnedNs;

  void clear() {
    known = false;
  }

  /// @return µs by which the sample lies above the base
  int above(int delayUs, long nowNs) {
    if (!known) {
      known = true;
      current = delayUs;
      former = delayUs;
      turnedNs = nowNs;
    } else if (nowNs - turnedNs >= HALF_NS) {
      former = current;
      current = delayUs;
      turnedNs = nowNs;
    } else if (delayUs - current < 0) {
      current = delayUs;
    }
    return Math.max(0, delayUs - (current - former < 0 ? current : former));
  }
}
