package io.viaduct.tunnel.scheduling;

/// Decides whether the open compound of a class waits for more packets when its batch has ended.
///
/// It waits only while the next packet is expected within the class's deadline (EWMA of the gaps
/// between packets) and recent waits did bring a second packet. It leaves before the deadline when
/// the remaining time is shorter than two thirds of a gap. After the k-th fruitless wait in a row,
/// the next 2^k − 1 compounds leave at once. So request and response are not slowed down.
public final class WaitingRule {
  private static final int FRUITLESS_MAX = 8;

  /// Factor by which the next packet is expected earlier than the mean gap says: arrivals are not
  /// regular.
  private static final double EARLY_FACTOR = 1.5;

  private static final int LINGER_PART = 16;

  private final long deadlineNs;
  private final TimerLateness lateness;
  private double gapNs = Double.POSITIVE_INFINITY;
  private long lastArrivalNs;
  private boolean arrived;
  private int fruitless;
  private int skip;
  private boolean waiting;
  private int packetsAtStart;

  /// Creates the rule of one class.
  ///
  /// @param deadlineNs largest time that waiting may add to a packet's delay
  /// @param lateness lateness of the calling loop's timers
  public WaitingRule(long deadlineNs, TimerLateness lateness) {
    this.deadlineNs = deadlineNs;
    this.lateness = lateness;
  }

  /// Takes the arrival of a packet of the class.
  public void arrival(long nowNs) {
    if (arrived) {
      double gapSinceLastNs = nowNs - lastArrivalNs;
      gapNs = Double.isInfinite(gapNs) ? gapSinceLastNs : gapNs + (gapSinceLastNs - gapNs) / 4;
    }
    arrived = true;
    lastArrivalNs = nowNs;
  }

  /// Decides at the end of a batch with an open compound. @return true if it stays open
  public boolean shouldWait(int packets, long openedNs, long nowNs) {
    long patienceNs = patienceNs();
    if (waiting) {
      return (openedNs + patienceNs - nowNs) * EARLY_FACTOR > gapNs;
    }
    if (patienceNs == 0 || gapNs > patienceNs) {
      return false;
    }
    if (skip > 0) {
      skip--;
      return false;
    }
    waiting = true;
    packetsAtStart = packets;
    return true;
  }

  /// Takes the closing of the open compound, for any reason, with its number of packets.
  public void closed(int packets) {
    if (!waiting) {
      return;
    }
    waiting = false;
    if (packets > packetsAtStart) {
      fruitless = 0;
    } else {
      fruitless = Math.min(FRUITLESS_MAX, fruitless + 1);
      skip = (1 << fruitless) - 1;
    }
  }

  /// Returns the longest time that a compound stays open: the deadline minus the timers' present
  /// lateness on this machine.
  public long patienceNs() {
    return Math.max(0, deadlineNs - lateness.boundNs());
  }

  /// Returns the time that a compound stays open for the rest of a burst when copies of its
  /// contents are expected. Fruitless waits do not change it.
  public long lingerNs() {
    return deadlineNs / LINGER_PART;
  }
}
