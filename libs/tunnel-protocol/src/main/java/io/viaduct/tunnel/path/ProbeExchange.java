package io.viaduct.tunnel.path;

import io.viaduct.tunnel.wire.PathMessage;

/// Numbers the agent's probes, takes the answers, and knows round trip and clock offset. Times in
/// µs.
///
/// The round trip has two means: one of about five seconds, by which paths are compared, and one of
/// about a minute, the usual value. The path gets worse while the first is clearly above the
/// second. The first mean starts as the least of the first four samples, and a sample below it
/// counts for more than one above it: a path cannot be quicker than it is, but the first answer of
/// a new link also waits for neighbour discovery, and any answer may wait for a busy processor.
public final class ProbeExchange {
  private static final RttEstimator.Weights RECENT = new RttEstimator.Weights(0.2, 0.6, 1e6);
  private static final RttEstimator.Weights USUAL = new RttEstimator.Weights(0.63, 60e6);

  /// A path gets worse if its round trip exceeds the usual one by half, and by 20 ms.
  private static final double WORSE_SHARE = 1.5;

  private static final double WORSE_US = 20_000;
  private static final int OUTSTANDING = 64;

  /// Time for which the least round trip is that of the path.
  private static final long RECENT_US = 60_000_000;

  private static final int FIRST_SAMPLES = 4;

  private final RttEstimator roundTrip = new RttEstimator(RECENT);
  private final RttEstimator usual = new RttEstimator(USUAL);
  private final ClockOffset offset = new ClockOffset();
  // Only the probing end allocates them.
  private long[] sentUs = {};
  private boolean[] waiting = {};
  private int number;
  private long answeredUs;
  private long answered;
  private long lastRoundTripUs;
  private int samples;
  private double leastUs = Double.NaN; // since leastFromUs
  private double leastBeforeUs = Double.NaN;
  private long leastFromUs;

  /// Forgets the round trip, because the path has changed. The clocks' offset stays.
  public void forget() {
    roundTrip.reset();
    usual.reset();
    samples = 0;
    leastUs = Double.NaN;
    leastBeforeUs = Double.NaN;
  }

  /// Returns the next probe, to be sent now.
  public PathMessage.Probe next(long nowUs) {
    if (number == 0) {
      sentUs = new long[OUTSTANDING];
      waiting = new boolean[OUTSTANDING];
    }
    int slot = number & (OUTSTANDING - 1);
    sentUs[slot] = nowUs;
    waiting[slot] = true;
    return new PathMessage.Probe(
        number++,
        nowUs,
        offset.isKnown() ? Math.round(offset.offset()) : PathMessage.OFFSET_UNKNOWN,
        offset.isKnown() ? (int) Math.min(Integer.MAX_VALUE, roundTrip.smoothed()) : 0,
        PathMessage.NO_PATH,
        0,
        0,
        null,
        null);
  }

  /// Returns the number of the next probe.
  public int nextNumber() {
    return number;
  }

  /// Returns the counts of all probes so far.
  public ProbeCounts counts(long nowUs) {
    return new ProbeCounts(number, answered, answered == 0 ? -1 : (nowUs - answeredUs) / 1e3);
  }

  /// Takes an answer. @return false if it answers no outstanding probe
  public boolean answered(PathMessage.ProbeReply reply, long nowUs) {
    int slot = reply.number() & (OUTSTANDING - 1);
    if (number - reply.number() <= 0
        || number - reply.number() > OUTSTANDING
        || !waiting[slot]
        || sentUs[slot] != reply.t1Us()) {
      return false;
    }
    waiting[slot] = false;
    lastRoundTripUs = offset.sample(reply.t1Us(), reply.t2Us(), reply.t3Us(), nowUs);
    long sinceUs = Math.max(1, nowUs - answeredUs);
    if (samples < FIRST_SAMPLES) {
      samples++;
      roundTrip.startAt(least(roundTrip.smoothed(), lastRoundTripUs));
    } else {
      roundTrip.sample(sinceUs, lastRoundTripUs);
    }
    usual.sample(sinceUs, lastRoundTripUs);
    noteLeast(nowUs);
    answeredUs = nowUs;
    answered++;
    return true;
  }

  private void noteLeast(long nowUs) {
    if (nowUs - leastFromUs >= RECENT_US) {
      leastFromUs = nowUs;
      leastBeforeUs = leastUs;
      leastUs = Double.NaN;
    }
    leastUs = least(leastUs, lastRoundTripUs);
  }

  private static double least(double before, double sample) {
    return before < sample ? before : sample; // NaN before the first sample
  }

  public long lastRoundTripUs() {
    return lastRoundTripUs;
  }

  /// Returns the smoothed round trip, NaN before the first answer.
  public double smoothedRoundTripUs() {
    return roundTrip.smoothed();
  }

  /// Returns the least round trip of the last one to two minutes with answers, NaN before the first
  /// answer: that of the path without any queue.
  public double leastRoundTripUs() {
    return least(leastBeforeUs, leastUs);
  }

  /// Returns the round trip of about the last minute, NaN before the first answer.
  public double usualRoundTripUs() {
    return usual.smoothed();
  }

  /// Returns whether the round trip is clearly above the usual one.
  public boolean isWorse() {
    double now = roundTrip.smoothed();
    double before = usual.smoothed();
    return now > before * WORSE_SHARE && now > before + WORSE_US;
  }

  /// Returns the peer's clock minus ours, NaN before the first answer.
  public double offsetUs() {
    return offset.offset();
  }

  /// Returns the round trip of the measurement that the offset comes from.
  public long offsetRoundTripUs() {
    return offset.roundTrip();
  }
}
