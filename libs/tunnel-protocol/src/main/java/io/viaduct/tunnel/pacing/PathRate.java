package io.viaduct.tunnel.pacing;

/// Estimates the rate of the path from the peer's receipts. The rate is unlimited as long as no
/// queue stands in the path.
///
/// A queue that stands for three receipts means that the link is busy: the arrival rate is then the
/// link's rate. From then on the sender holds a queue of about 5 ms there. If the queue is longer,
/// the sender stays below the rate in proportion to the excess. If it is shorter, and only if
/// pacing has held datagrams back, the sender probes with growing steps.
///
/// Every 5 s the sender drains the queue, to measure the delay without it. If a queue has not
/// fallen by half when what was sent less would have drained it twice, it is not ours: it belongs
/// to other traffic, the path is longer, or the path has jitter. The measured delay is then the new
/// base.
///
/// Under small traffic, a delay that jumps although no more was sent than the path had carried,
/// that then stays, and at which what is sent still arrives, is a longer path. It becomes the base
/// without such a test, which would hold back a small flow for a second.
///
/// Rates are in bytes of outer IP packets per second. Constants: simulation and docs/adr/0020.
public final class PathRate {
  public static final double UNLIMITED = Double.POSITIVE_INFINITY;

  private static final double TARGET_US = 5_000;

  /// Multiple of the delay's noise that is no queue: the base is the least of many samples.
  private static final double NOISE_SHARE = 4;

  /// Noise that a queue makes as it grows and drains; in addition, one packet.
  private static final double QUIET_US = 500;

  private static final double PACKET_BYTES = 1_500;

  private static final double ENTRY_US = 10_000;
  private static final double RESPONSE_US = 150_000;
  private static final int PACKETS_BYTES = 3_000; // two full packets are always queued somewhere
  private static final int RECEIPTS_UNTIL_LIMITED = 3;

  /// Least growth between two receipts that is a jump, and the change that it may have then.
  private static final double JUMP_US = 20_000;

  private static final double JUMP_CHANGE_US = 5_000;

  /// Receipts within which what is sent must be seen to arrive after a jump.
  private static final int RECEIPTS_AFTER_JUMP = 10;

  /// Rate above which a jump is not trusted: the burst of a bulk transfer fills a line's queue at
  /// once, and the queue then stays full.
  private static final double SMALL_RATE = 250_000;

  /// Share of the best rate of before above which the queue of a jump may be ours.
  private static final double SENT_SHARE = 1.1;

  private static final double MODEM_RATE_MAX = 125e6; // no modem has a long queue at 1 Gbit/s
  private static final double RATE_MIN = 8_000;
  private static final double STEP_LEAST = 0.02;
  private static final double STEP_MOST = 0.4;
  private static final double STEP_GROWTH = 1.6;
  private static final double SLOWEST_DRAIN = 0.5;
  private static final double CORRECTION =
      0.1; // a rate estimated too high would leave a queue for ever

  /// Share of what was sent that arrives from a line which is so slow that its queue is full at
  /// once.
  private static final double FULL_SHARE = 0.6;

  /// Share of what was sent that must arrive before a queue can be foreign: ours may be full.
  private static final double CARRIED_SHARE = 0.75;

  private static final double CAPACITY_SHARE_MIN = 0.35;
  private static final double RATE_JUMP = 1.5;
  private static final double DRAIN_SHARE = 0.85;
  private static final long DRAIN_SPACING_NS = 5_000_000_000L;
  private static final long DRAIN_NS = 150_000_000;
  private static final long STEP_NS = 40_000_000;

  private static final long RELEASE_NS = 10_000_000_000L;
  private static final int SILENCE_US = 1_000_000;

  private final DeliveryWindow window = new DeliveryWindow();
  private final BaseDelay base = new BaseDelay();
  private final DelayNoise noise = new DelayNoise();
  private final StandingQueue queue = new StandingQueue();
  private final BestRate best = new BestRate();
  private double noiseUs;
  private double doubtUs;
  private double toleratedUs;
  private double rate = UNLIMITED;
  private long reportedNs;
  private double capacity;
  private double step = STEP_LEAST;
  private int standingReceipts;
  private double queueBeforeUs;
  private double jumpedUs;
  private long drainedNs;
  private long neededNs;
  private long steppedNs;
  private boolean draining;
  private long overrunNs = Long.MIN_VALUE;

  /// Returns the rate in bytes per second, or UNLIMITED.
  public double bytesPerSecond() {
    return draining ? rate * DRAIN_SHARE : rate;
  }

  /// Returns whether a receipt has confirmed the rate lately. Thin traffic causes none: the rate
  /// then still limits bursts, but does not say any more what the path carries.
  boolean isConfirmed(long nowNs) {
    return nowNs - reportedNs < RELEASE_NS;
  }

  /// Returns what the path carries, in bytes per second: the rate of pacing, or without a limit the
  /// highest rate at which the path has delivered lately. 0 if nothing is known. Never more than
  /// was sent by this end's clock, whatever the peer says has arrived.
  double capacityPerSecond(long nowNs) {
    double most = best.bytesPerSecond(nowNs);
    return rate == UNLIMITED || most > 0 && most < rate ? most : rate;
  }

  /// Begins with what is known of the same access link, so that its queue need not be filled again
  /// to find the rate. If it was the rate of something behind that link, the rate grows as usual.
  void begin(KnownRate known, long nowNs) {
    rate = known.limit();
    capacity = known.capacity();
    drainedNs = nowNs;
    neededNs = nowNs;
    reportedNs = nowNs;
    best.delivered(known.capacity(), nowNs);
  }

  /// Takes a rate in bytes per second that the path has been found to carry.
  void carries(double bytesPerSecond, long nowNs) {
    best.delivered(bytesPerSecond, nowNs);
  }

  /// Returns the last time at which more had been sent than the path carries: as pacing began, or
  /// when its rate fell. Long.MIN_VALUE for never.
  long overrunNs() {
    return overrunNs;
  }

  /// Takes one receipt of the peer.
  ///
  /// @param receiverUs the peer's clock
  /// @param arrivedBytes bytes that the peer has received, cumulative, low 32 bits
  /// @param delayUs least one-way delay since the peer's last receipt, not corrected by the clocks'
  ///   offset
  /// @param sentBytes bytes that this end has sent, cumulative
  /// @param held true if pacing has held a datagram back since the last receipt
  /// @param roundTripUs round trip of the path; NaN while unknown
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
        return; // an older receipt that a newer one has overtaken
      }
      if (since > SILENCE_US) {
        window.clear();
      }
    }
    reportedNs = nowNs;
    boolean known = window.add(receiverUs, arrivedBytes, sentBytes, roundTripUs, nowNs);
    double queueUs = base.above(delayUs, nowNs);
    noiseUs = noise.with(delayUs);
    if (!known) {
      return;
    }
    double delivered = window.deliveredPerSecond();
    double sent = sentPerSecond(queueUs, roundTripUs);
    if (queueUs - queueBeforeUs > JUMP_US) {
      double most = Math.min(SMALL_RATE, SENT_SHARE * best.bytesPerSecond(nowNs));
      jumpedUs = sent > most ? 0 : queueUs;
    }
    queueBeforeUs = queueUs;
    best.delivered(Math.min(delivered, sent), nowNs);
    if (rate == UNLIMITED) {
      enter(queueUs, delivered, sent, roundTripUs, nowNs);
    } else {
      follow(queueUs, delivered, held, roundTripUs, nowNs);
    }
  }

  // The round trip may or may not include the queue's delay.
  private double sentPerSecond(double queueUs, double roundTripUs) {
    double tripUs = Double.isNaN(roundTripUs) ? 0 : roundTripUs;
    return Math.max(
        window.sentPerSecond((long) ((tripUs + queueUs) * 1000)),
        window.sentPerSecond((long) (tripUs * 1000)));
  }

  private void tolerate(double bytesPerSecond) {
    double quietUs = QUIET_US + PACKET_BYTES * 1e6 / Math.max(RATE_MIN, bytesPerSecond);
    doubtUs = Math.max(0, noiseUs - quietUs);
    toleratedUs = base.hasFloor() ? NOISE_SHARE * doubtUs : 0;
  }

  private void enter(
      double queueUs, double delivered, double sent, double roundTripUs, long nowNs) {
    tolerate(delivered);
    boolean stands =
        delivered >= RATE_MIN
            && delivered < MODEM_RATE_MAX
            && queueUs > ENTRY_US + PACKETS_BYTES * 1e6 / delivered + toleratedUs;
    standingReceipts = stands ? standingReceipts + 1 : 0;
    if (!stands) {
      jumpedUs = 0; // a later queue of this length is another one
    }
    if (standingReceipts < RECEIPTS_UNTIL_LIMITED) {
      return;
    }
    if (Math.abs(queueUs - jumpedUs) < JUMP_CHANGE_US) {
      if (delivered >= CARRIED_SHARE * sent) {
        standingReceipts = 0;
        base.raise(queueUs, nowNs);
        return;
      }
      if (standingReceipts < RECEIPTS_AFTER_JUMP) {
        return;
      }
    }
    standingReceipts = 0;
    overrunNs = nowNs;
    capacity = delivered;
    rate = delivered;
    drainedNs = nowNs;
    neededNs = nowNs;
    queue.end();
    follow(queueUs, delivered, true, roundTripUs, nowNs);
  }

  private void follow(
      double queueUs, double delivered, boolean held, double roundTripUs, long nowNs) {
    if (delivered > capacity) {
      capacity =
          delivered > RATE_JUMP * capacity ? delivered : capacity + (delivered - capacity) / 4;
    }
    tolerate(capacity);
    double excessUs = queueUs - TARGET_US - PACKETS_BYTES * 1e6 / capacity - toleratedUs;
    if (held || excessUs > 0) {
      neededNs = nowNs;
    }
    if (nowNs - drainedNs > DRAIN_SPACING_NS) {
      drainedNs = nowNs;
    }
    draining = nowNs - drainedNs < DRAIN_NS;
    if (excessUs > 0 && excessUs < doubtUs && toleratedUs > 0) {
      return; // may be noise, or not
    }
    if (excessUs > 0) {
      slower(excessUs, queueUs, delivered, Double.isNaN(roundTripUs) ? 0 : roundTripUs, nowNs);
      return;
    }
    if (-excessUs >= doubtUs) {
      queue.end();
    }
    if (held && !draining) {
      faster(delivered, roundTripUs, nowNs);
    } else if (!held && nowNs - neededNs > RELEASE_NS) {
      rate = UNLIMITED;
      draining = false;
    }
  }

  private void slower(
      double excessUs, double queueUs, double delivered, double roundTripUs, long nowNs) {
    step = STEP_LEAST;
    steppedNs = nowNs;
    double proportional = Math.min(SLOWEST_DRAIN, excessUs / (RESPONSE_US + roundTripUs));
    long effectNs = (long) ((roundTripUs + queueUs) * 1000);
    double brake = queue.seen(queueUs, excessUs, proportional, rate, capacity, effectNs, nowNs);
    // The round trip may or may not include the queue's delay, so both assumptions must agree.
    double before = window.sentPerSecond((long) ((roundTripUs + queueUs) * 1000));
    double after = window.sentPerSecond((long) (roundTripUs * 1000));
    double sent = Math.min(before, after);
    boolean isFull = delivered < FULL_SHARE * sent;
    if (isFull || delivered < 0.95 * sent && queue.hasGrown(queueUs)) {
      // fewer bytes arrive than were sent, and the queue grows or is full: the path's rate fell
      overrunNs = nowNs;
      capacity -= (capacity - delivered) / 2;
      queue.rateFell(queueUs, isFull, capacity);
    } else if (delivered > 1.1 * Math.max(before, after)) {
      // more bytes arrive than were sent: they come out of the queue, at the line's rate
      capacity -= (capacity - delivered) / 2;
    } else {
      double least = CAPACITY_SHARE_MIN * queue.capacity();
      capacity = Math.max(Math.min(capacity, least), capacity * (1 - CORRECTION * brake));
    }
    rate = Math.max(RATE_MIN, capacity * (1 - brake));
    boolean isCarried = delivered >= CARRIED_SHARE * sent;
    if (queue.isForeign(queueUs, queueUs - excessUs, isCarried)) {
      base.raise(queueUs, nowNs);
    }
  }

  /// Raises the rate by one step, once the effect of the last step can have shown.
  private void faster(double delivered, double roundTripUs, long nowNs) {
    double roundTripNs = Double.isNaN(roundTripUs) ? 0 : roundTripUs * 1000;
    if (nowNs - steppedNs < STEP_NS + roundTripNs) {
      return;
    }
    steppedNs = nowNs;
    if (toleratedUs < ENTRY_US && rate < capacity && rate * (1 + step) > capacity) {
      step = STEP_LEAST; // from here on a step may be too far
    }
    rate = Math.min(rate * (1 + step), 2 * Math.max(delivered, capacity));
    step = Math.min(STEP_MOST, step * STEP_GROWTH);
  }
}
