package io.viaduct.tunnel.pacing;

/// Finds out whether a queue that stands in the path is ours: then it falls by what we send less.
/// The queue of other traffic, a longer path, and jitter that keeps the order do not.
///
/// A long queue is tested at once, because the sender brakes far more then than the line's rate may
/// be wrong. A short one is tested with [#TEST_SHARE] less, after it has stood for a while.
final class StandingQueue {
  /// Share of the capacity that is not used in a test.
  private static final double TEST_SHARE = 0.15;

  /// Least queue above the target that is tested, and the time for which it stands before.
  private static final double TESTED_US = 10_000;

  private static final long STANDS_NS = 300_000_000;

  /// Multiple of the queue that must have been sent less before it is judged.
  private static final double OWED_SHARE = 2;

  /// Share of the queue that must have drained then, or it is not ours.
  private static final double FALLEN_SHARE = 0.5;

  /// Growth by which a falling rate of the path shows.
  private static final double GROWN_US = 2_000;

  private boolean stands;
  private boolean testing;
  private long beganNs;
  private double beganUs;
  private double capacity;
  private double mostUs;
  private double owedUs;
  private long seenNs;

  /// Forgets the queue: it is gone.
  void end() {
    stands = false;
    testing = false;
  }

  /// Takes a queue above the target.
  ///
  /// @param brake share that the sender is about to send less than the capacity
  /// @param rate at which the sender has sent since the last call
  /// @param effectNs time until what the sender changes arrives
  /// @return the share to send less
  double seen(
      double queueUs,
      double excessUs,
      double brake,
      double rate,
      double capacityNow,
      long effectNs,
      long nowNs) {
    boolean isOld = stands && excessUs > TESTED_US && nowNs - beganNs > effectNs + STANDS_NS;
    if (!stands || !testing && (brake > TEST_SHARE || isOld)) {
      testing = isOld || brake > TEST_SHARE;
      stands = true;
      beganNs = nowNs;
      beganUs = queueUs;
      capacity = capacityNow;
      mostUs = queueUs;
      owedUs = 0;
    } else if (nowNs - beganNs < effectNs) {
      mostUs = Math.max(mostUs, queueUs); // what was sent before still arrives
    } else if (testing) {
      owedUs += (1 - rate / capacity) * (nowNs - seenNs) / 1000;
    }
    seenNs = nowNs;
    return testing ? Math.max(brake, TEST_SHARE) : brake;
  }

  /// Returns whether the queue has grown since it was first seen.
  boolean hasGrown(double queueUs) {
    return queueUs > beganUs + GROWN_US;
  }

  /// Notes that the path's rate fell. If the queue grows by that, or is full, the test begins anew.
  void rateFell(double queueUs, boolean isFull, double capacityNow) {
    if (isFull || queueUs > mostUs) {
      mostUs = Math.max(mostUs, queueUs);
      capacity = capacityNow;
      owedUs = 0;
    }
  }

  /// Returns the path's rate when the queue was first seen, in bytes per second.
  double capacity() {
    return capacity;
  }

  /// Returns whether the queue is not ours. Once that is known, the queue is forgotten.
  ///
  /// @param targetUs queue that the sender holds
  /// @param isCarried true if what was sent arrives; otherwise the queue may be ours and full
  boolean isForeign(double queueUs, double targetUs, boolean isCarried) {
    double foundUs = mostUs - targetUs;
    if (!testing || owedUs <= OWED_SHARE * foundUs) {
      return false;
    }
    end();
    return isCarried && mostUs - queueUs < FALLEN_SHARE * foundUs;
  }
}
