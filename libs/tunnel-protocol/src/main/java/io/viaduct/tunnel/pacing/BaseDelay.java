package io.viaduct.tunnel.pacing;

/// Keeps the delay of a path without our queue. It is the least one-way delay of the last 10 to 20
/// s, in two halves (RFC 6817 §2.4.2 keeps ten), but not below a floor: a delay that stands
/// although we have sent less. Jitter on a path that keeps the order, and the queue of other
/// traffic, are such delays. The floor falls with the greatest delay of the last one to two
/// seconds.
///
/// The values are differences between two unsynchronised clocks, in µs: only changes count.
final class BaseDelay {
  private static final long HALF_NS = 10_000_000_000L;
  private static final long GREATEST_HALF_NS = 1_000_000_000;
  private boolean known;
  private int current;
  private int former;
  private long turnedNs;
  private boolean hasFloor;
  private int floor;
  private int greatest;
  private int formerGreatest;
  private long greatestTurnedNs;

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
    } else {
      current = lesser(current, delayUs);
    }
    if (hasFloor) {
      followDown(delayUs, nowNs);
    }
    return Math.max(0, delayUs - base());
  }

  private int base() {
    int least = lesser(current, former);
    return hasFloor ? greater(least, floor) : least;
  }

  /// Takes the base plus this for the delay that does not come from our own queue.
  void raise(double byUs, long nowNs) {
    floor = base() + (int) byUs;
    hasFloor = true;
    greatest = floor;
    formerGreatest = floor;
    greatestTurnedNs = nowNs;
  }

  private void followDown(int delayUs, long nowNs) {
    if (nowNs - greatestTurnedNs >= GREATEST_HALF_NS) {
      formerGreatest = greatest;
      greatest = delayUs;
      greatestTurnedNs = nowNs;
    } else {
      greatest = greater(greatest, delayUs);
    }
    floor = lesser(floor, greater(greatest, formerGreatest));
  }

  private static int lesser(int one, int other) {
    return other - one < 0 ? other : one;
  }

  private static int greater(int one, int other) {
    return other - one > 0 ? other : one;
  }
}
