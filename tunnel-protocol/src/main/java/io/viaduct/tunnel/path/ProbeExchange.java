package io.viaduct.tunnel.path;

import io.viaduct.tunnel.wire.PathMessage;

/// The agent's probes: numbers them, takes the answers, and knows round trip, clock offset and
/// loss. Times in µs.
public final class ProbeExchange {
  private static final double ALPHA = 0.2;
  private static final double PERIOD_US = 1_000_000;
  private static final int PROBES_PER_ROUND = 10;
  private static final int OUTSTANDING = 64;

  private final RttEstimator roundTrip = new RttEstimator(ALPHA, PERIOD_US);
  private final ClockOffset offset = new ClockOffset();
  private final LossEstimator loss = new LossEstimator(PROBES_PER_ROUND);
  // Of an end that probes; the other one has none.
  private long[] sentUs = {};
  private boolean[] waiting = {};
  private int number;
  private long answeredUs;
  private long lastRoundTripUs;

  /// The next probe, to be sent now.
  public PathMessage.Probe next(long nowUs) {
    if (number == 0) {
      sentUs = new long[OUTSTANDING];
      waiting = new boolean[OUTSTANDING];
    }
    loss.sent();
    int slot = number & (OUTSTANDING - 1);
    sentUs[slot] = nowUs;
    waiting[slot] = true;
    return new PathMessage.Probe(
        number++,
        nowUs,
        offset.isKnown() ? Math.round(offset.offset()) : PathMessage.OFFSET_UNKNOWN,
        offset.isKnown() ? (int) Math.min(Integer.MAX_VALUE, roundTrip.smoothed()) : 0);
  }

  /// An answer. @return false if it answers no outstanding probe
  public boolean answered(PathMessage.ProbeReply reply, long nowUs) {
    int slot = reply.number() & (OUTSTANDING - 1);
    if (number - reply.number() <= 0
        || number - reply.number() > OUTSTANDING
        || !waiting[slot]
        || sentUs[slot] != reply.t1Us()) {
      return false;
    }
    waiting[slot] = false;
    loss.replied();
    lastRoundTripUs = offset.sample(reply.t1Us(), reply.t2Us(), reply.t3Us(), nowUs);
    roundTrip.sample(Math.max(1, nowUs - answeredUs), lastRoundTripUs);
    answeredUs = nowUs;
    return true;
  }

  public long lastRoundTripUs() {
    return lastRoundTripUs;
  }

  /// NaN before the first answer.
  public double smoothedRoundTripUs() {
    return roundTrip.smoothed();
  }

  /// The peer's clock minus ours; NaN before the first answer.
  public double offsetUs() {
    return offset.offset();
  }

  /// Share of probes without answer, NaN before the first ten.
  public double loss() {
    return loss.loss();
  }
}
