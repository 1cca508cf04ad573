package io.viaduct.tunnel.pacing;

/// Decides when a path is tried by trains of padded datagrams, and what the answers say. A path
/// that only thin flows use shows nothing of what it carries; a train shows it.
///
/// A trial is a train of 2 datagrams, then of 8, then of 32. Each leaves back to back, and only if
/// the one before has stood on the line for so short a time that the next one delays other packets
/// by about 25 ms. So a slow path is tried by two datagrams. A trial is due when data come, not
/// more than once in 50 minutes; a path that has changed, and one whose trial was lost, may be
/// tried again, at most four times at once and once in 15 minutes after that. An idle path is never
/// tried.
///
/// The rate is what has arrived over the time that it took, with 2 ms for the ends' own delays: the
/// path carries at least that much, for as long as the train lasts.
public final class RateTrials {
  /// No train.
  public static final int NONE = -1;

  /// A path with this rate, in bytes per second, needs no trial: 40 Mbit/s is past the last knot of
  /// each shipped curve.
  static final double ENOUGH = 5e6;

  static final long FRESH_NS = 3_000_000_000_000L;
  static final long SPACING_NS = 900_000_000_000L;
  static final int AT_ONCE = 4;
  private static final long ANSWER_NS_MAX = 3_000_000_000L;
  private static final long RETRY_NS = 60_000_000_000L;

  /// Longest time on the line after which a train of four times the length may leave.
  private static final long SHORT_NS = 6_000_000;

  private static final long ENDS_NS = 2_000_000;

  private int numbers;
  private int run = NONE;
  private int step;
  private int size;
  private int arrived;
  private long arrivedNs;
  private long quorumNs;
  private long sentNs;
  private boolean known;
  private long freshUntilNs;
  private boolean began;
  private long creditNs;

  /// Returns the run of the train that must leave now, [#NONE] for none.
  ///
  /// @param perSecond bytes per second that the path is known to carry
  /// @param bytes size of each outer IP packet
  public int due(double perSecond, int bytes, long nowNs) {
    if (run != NONE && nowNs - sentNs > ANSWER_NS_MAX) {
      lost(nowNs);
    }
    if (run != NONE || step == 0 && !mayBegin(perSecond, nowNs)) {
      return NONE;
    }
    run = TrainRun.of(step, numbers++);
    size = bytes;
    arrived = 0;
    sentNs = nowNs;
    return run;
  }

  private boolean mayBegin(double perSecond, long nowNs) {
    if (known && nowNs - freshUntilNs < 0) {
      return false;
    }
    if (perSecond >= ENOUGH) {
      fresh(FRESH_NS, nowNs);
      return false;
    }
    long since = nowNs - (AT_ONCE - 1) * SPACING_NS;
    long from = began && creditNs - since > 0 ? creditNs : since;
    if (from - nowNs > 0) {
      return false;
    }
    began = true;
    creditNs = from + SPACING_NS;
    return true;
  }

  /// Counts a datagram of the train that has arrived, as its answer tells now.
  public void arrived(int of, long nowNs) {
    if (of == run) {
      arrived++;
      arrivedNs = nowNs;
      quorumNs = arrived <= TrainRun.quorum(run) ? nowNs : quorumNs;
    }
  }

  /// Returns whether no other datagram of the train is worth waiting for: all have arrived, or
  /// enough have, and the others are a round trip late.
  public boolean isOver(long roundTripNs, long nowNs) {
    if (run == NONE || arrived < TrainRun.quorum(run)) {
      return false;
    }
    return arrived >= TrainRun.length(run)
        || nowNs - quorumNs >= roundTripNs
        || nowNs - sentNs > ANSWER_NS_MAX;
  }

  /// Returns the time of the last answer to the train.
  public long arrivedNs() {
    return arrivedNs;
  }

  /// Ends the train: its last datagram, or what left after it, was answered now.
  ///
  /// @param roundTripNs round trip without the train
  /// @return bytes per second that the path carries at least, 0 if the train was lost
  public double ended(long roundTripNs, long nowNs) {
    if (run == NONE) {
      return 0;
    }
    if (arrived < TrainRun.quorum(run)) {
      lost(nowNs);
      return 0;
    }
    long lineNs = Math.max(0, nowNs - sentNs - roundTripNs);
    double perSecond = Math.min(arrived, TrainRun.length(run)) * size * 1e9 / (lineNs + ENDS_NS);
    run = NONE;
    if (lineNs <= SHORT_NS && step + 1 < TrainRun.STEPS && perSecond < ENOUGH) {
      step++;
    } else {
      step = 0;
      fresh(FRESH_NS, nowNs);
    }
    return perSecond;
  }

  /// Forgets the train, because the path has changed. What was sent still counts.
  public void pathChanged() {
    run = NONE;
    step = 0;
    known = false;
  }

  private void lost(long nowNs) {
    run = NONE;
    step = 0;
    fresh(RETRY_NS, nowNs);
  }

  private void fresh(long forNs, long nowNs) {
    known = true;
    freshUntilNs = nowNs + forNs;
  }
}
