package io.viaduct.tunnel.pacing;

/// Keeps the delay of a path without our queue. It is the least one-way delay of the last 10 to 20
/// s, in two halves (RFC 6817 §2.4.2 keeps ten), but not below a floor: a delay that stands
/// although we have sent less. Jitter on a path that keeps the order, and the queue of other
/// traffic, are such delays. The floor falls with the greatest delay of the last one to two
/// seconds. It is forgotten after 20 s; if it is found again then, after twice the time. So an
/// error heals.
///
/// The values are differences between two unsynchronised clocks, in µs: only changes count.
final class BaseDelay {
  private static final long HALF_NS = 10_000_000_000L;
  private static final long GREATEST_HALF_NS = 1_000_000_000;
  private static final long FLOOR_NS_MIN = 20_000_000_000L;
  private static final long FLOOR_NS_MAX = 80_000_000_000L;

  /// Time in which a floor that was forgotten is found again, if it is there.
  private static final long AGAIN_NS = 5_000_000_000L;

  private boolean known;
  private int current;
  private int former;
  private long turnedNs;
  private boolean hasFloor;
  private int floor;
  private int greatest;
  private int formerGreatest;
  private long greatestTurnedNs;
  private long floorNs;
  private long floorUntilNs;

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

  /// Returns whether some delay above the least one is known not to come from our own queue.
  boolean hasFloor() {
    return hasFloor;
  }

  /// Takes the base plus this for the delay that does not come from our own queue.
  void raise(double byUs, long nowNs) {
    if (!hasFloor) {
      boolean isAgain = floorNs > 0 && nowNs - floorUntilNs < AGAIN_NS;
      floorNs = isAgain ? Math.min(FLOOR_NS_MAX, 2 * floorNs) : FLOOR_NS_MIN;
      floorUntilNs = nowNs + floorNs;
    }
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
    hasFloor = floor - lesser(current, former) > 0 && nowNs - floorUntilNs < 0;
  }

  private static int lesser(int one, int other) {
    return other - one < 0 ? other : one;
  }

  private static int greater(int one, int other) {
    return other - one > 0 ? other : one;
  }
}
