package io.viaduct.tunnel.pacing;

/// What the path carries, from the peer's receipts; unlimited as long as no queue stands in it.
///
/// A queue that stands for three receipts means that the link is busy, so what arrives is its rate.
/// From then on the sender holds a queue of about 5 ms there: above, it sends less than the rate in
/// proportion to the excess; below, and only if pacing has held something back, more and more.
/// Every 5 s it lets the queue run dry, to see the delay without it. If the delay does not follow
/// the sender's rate for a second, the queue is not ours or the path is another one: what was
/// measured is the base from then on.
///
/// Rates in bytes of outer IP packets per second. Constants: simulation and docs/adr/0020.
public final class PathRate {
  public static final double UNLIMITED = Double.POSITIVE_INFINITY;

  private static final double TARGET_US = 5_000;
  private static final double ENTRY_US = 10_000;
  private static final double RESPONSE_US = 150_000;
  private static final int PACKETS_BYTES = 3_000; // two full packets always stand somewhere
  private static final int RECEIPTS_UNTIL_LIMITED = 3;
  private static final double FAST = 125e6; // no modem's queue is long at 1 Gbit/s
  private static final double LEAST = 8_000;
  private static final double STEP_LEAST = 0.02;
  private static final double STEP_MOST = 0.4;
  private static final double STEP_GROWTH = 1.6;
  private static final double SLOWEST_DRAIN = 0.5;
  private static final double CORRECTION =
      0.1; // a rate taken too high would leave a queue for ever
  private static final double LEAST_OF_DELIVERED = 0.35;
  private static final double LEAP = 1.5;
  private static final double DRY = 0.85;
  private static final long DRY_SPACING_NS = 5_000_000_000L;
  private static final long DRY_NS = 150_000_000;
  private static final double STUBBORN_US = 15_000;
  private static final long STEP_NS = 40_000_000;
  private static final long STUBBORN_NS = 1_000_000_000L;
  private static final long RELEASE_NS = 10_000_000_000L;
  private static final int SILENCE_US = 1_000_000;

  private final DeliveryWindow window = new DeliveryWindow();
  private final BaseDelay base = new BaseDelay();
  private double rate = UNLIMITED;
  private double capacity;
  private double step = STEP_LEAST;
  private int over;
  private long dryNs;
  private long neededNs;
  private long steppedNs;
  private boolean above;
  private long aboveNs;
  private double leastCapacity;
  private boolean busy;
  private boolean drying;

  /// Bytes per second, or UNLIMITED.
  public double bytesPerSecond() {
    return drying ? rate * DRY : rate;
  }

  /// Another path: nothing is known of it.
  public void reset() {
    window.clear();
    base.clear();
    rate = UNLIMITED;
    over = 0;
    above = false;
    drying = false;
  }

  /// @param receiverUs the peer's clock
  /// @param arrivedBytes what it has received, cumulative, low 32 bits
  /// @param delayUs least one-way delay since its last receipt, not corrected by the clocks' offset
  /// @param sentBytes what we have sent, cumulative
  /// @param held whether pacing has held something back since the last receipt
  /// @param roundTripUs of the path; NaN while unknown
  public void receipt(
      int receiverUs,
      int arrivedBytes,
      int delayUs,
      long sentBytes,
      boolean held,
      double roundTripUs,
      long nowNs) {
    if (!window.isEmpty()) {
      int since = receiverUs - window.lastUs();
      if (since <= 0) {
        return; // overtaken
      }
      if (since > SILENCE_US) {
        window.clear();
      }
    }
    boolean known = window.add(receiverUs, arrivedBytes, sentBytes, nowNs);
    double queueUs = base.above(delayUs, nowNs);
    if (!known) {
      return;
    }
    double delivered = window.deliveredPerSecond();
    if (rate == UNLIMITED) {
      enter(queueUs, delivered, roundTripUs, nowNs);
    } else {
      follow(queueUs, delivered, held, roundTripUs, nowNs);
    }
  }

  private void enter(double queueUs, double delivered, double roundTripUs, long nowNs) {
    boolean stands =
        delivered >= LEAST
            && delivered < FAST
            && queueUs > ENTRY_US + PACKETS_BYTES * 1e6 / delivered;
    over = stands ? over + 1 : 0;
    if (over < RECEIPTS_UNTIL_LIMITED) {
      return;
    }
    over = 0;
    capacity = delivered;
    rate = delivered;
    dryNs = nowNs;
    neededNs = nowNs;
    above = false;
    follow(queueUs, delivered, true, roundTripUs, nowNs);
  }

  private void follow(
      double queueUs, double delivered, boolean held, double roundTripUs, long nowNs) {
    if (delivered > capacity) {
      capacity = delivered > LEAP * capacity ? delivered : capacity + (delivered - capacity) / 4;
    }
    double excessUs = queueUs - TARGET_US - PACKETS_BYTES * 1e6 / capacity;
    if (held || excessUs > 0) {
      neededNs = nowNs;
    }
    if (nowNs - dryNs > DRY_SPACING_NS) {
      dryNs = nowNs;
    }
    drying = nowNs - dryNs < DRY_NS;
    if (excessUs > 0) {
      slower(excessUs, queueUs, delivered, Double.isNaN(roundTripUs) ? 0 : roundTripUs, nowNs);
      return;
    }
    above = false;
    if (held && !drying) {
      faster(delivered, roundTripUs, nowNs);
    } else if (!held && nowNs - neededNs > RELEASE_NS) {
      rate = UNLIMITED;
      drying = false;
    }
  }

  private void slower(
      double excessUs, double queueUs, double delivered, double roundTripUs, long nowNs) {
    step = STEP_LEAST;
    steppedNs = nowNs;
    if (!above) {
      above = true;
      aboveNs = nowNs;
      busy = false;
      leastCapacity = LEAST_OF_DELIVERED * delivered;
    }
    double brake = Math.min(SLOWEST_DRAIN, excessUs / (RESPONSE_US + roundTripUs));
    // Whether the round trip holds the queue already is not known: what both say counts.
    double before = window.sentPerSecond((long) ((roundTripUs + queueUs) * 1000));
    double after = window.sentPerSecond((long) (roundTripUs * 1000));
    if (delivered < 0.95 * Math.min(before, after)) {
      capacity -= (capacity - delivered) / 2; // less than was sent arrives: it fell
    } else if (delivered > 1.1 * Math.max(before, after)) {
      busy = true; // more arrives than was sent: it comes out of the queue, at the line's rate
      capacity -= (capacity - delivered) / 2;
    } else {
      capacity = Math.max(Math.min(capacity, leastCapacity), capacity * (1 - CORRECTION * brake));
    }
    rate = Math.max(LEAST, capacity * (1 - brake));
    if (nowNs - aboveNs - (long) (roundTripUs * 1000) > STUBBORN_NS) {
      if (excessUs > STUBBORN_US && !busy) {
        base.clear(); // a queue that does not answer to us is not ours
      }
      above = false;
    }
  }

  /// One step when the last one can have shown.
  private void faster(double delivered, double roundTripUs, long nowNs) {
    double roundTripNs = Double.isNaN(roundTripUs) ? 0 : roundTripUs * 1000;
    if (nowNs - steppedNs < STEP_NS + roundTripNs) {
      return;
    }
    steppedNs = nowNs;
    rate = Math.min(rate * (1 + step), 2 * Math.max(delivered, capacity));
    step = Math.min(STEP_MOST, step * STEP_GROWTH);
  }
}
