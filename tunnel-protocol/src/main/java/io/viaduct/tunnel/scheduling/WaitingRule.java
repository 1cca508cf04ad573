package io.viaduct.tunnel.scheduling;

/// Whether the open compound of a class should wait for company when its batch has ended. It waits
/// only while that bears fruit: the next packet is expected within the class's deadline (EWMA of
/// the gaps between packets), and waits of late did bring a second packet. It leaves before the
/// deadline when what is left of it is shorter than two thirds of a gap. After the k-th fruitless
/// wait in a row the next 2^k − 1 compounds leave at once, so that request and response are not
/// slowed down.
public final class WaitingRule {
  private static final int FRUITLESS_MAX = 8;

  /// One more packet is hoped for so much earlier than expected: arrivals are not regular.
  private static final double HOPE = 1.5;

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

  /// @param deadlineNs what waiting may add to a packet's delay
  /// @param lateness of the loop that calls
  public WaitingRule(long deadlineNs, TimerLateness lateness) {
    this.deadlineNs = deadlineNs;
    this.lateness = lateness;
  }

  /// A packet of the class arrives.
  public void arrival(long nowNs) {
    if (arrived) {
      double gap = nowNs - lastArrivalNs;
      gapNs = Double.isInfinite(gapNs) ? gap : gapNs + (gap - gapNs) / 4;
    }
    arrived = true;
    lastArrivalNs = nowNs;
  }

  /// The batch ended with an open compound. @return whether it stays open
  public boolean shouldWait(int packets, long openedNs, long nowNs) {
    long patienceNs = patienceNs();
    if (waiting) {
      return (openedNs + patienceNs - nowNs) * HOPE > gapNs;
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

  /// The open compound has been closed, by whatever reason, with so many packets in it.
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

  /// How long a compound stays open at most: the deadline, less what timers are late on this
  /// machine at this time.
  public long patienceNs() {
    return Math.max(0, deadlineNs - lateness.boundNs());
  }

  /// How long a compound stays open for the rest of a burst when copies of what it holds are
  /// expected, however fruitless other waits were.
  public long lingerNs() {
    return deadlineNs / LINGER_PART;
  }
}
