package io.viaduct.tunnel.path;

import org.jspecify.annotations.Nullable;

/// Estimates the share of one direction's bytes that a path loses, from cumulative counts of both
/// ends.
///
/// A sample is the difference of both counts over at least 250 ms and 20 datagrams' bytes, or over
/// 1 s and 4,000 bytes of a path with little traffic. Jitter can make a sample negative, so that
/// the mean does not deceive. Two weighted means follow it: one of 1 s, by which traffic leaves a
/// path, and one of 10 s, by which it may return (seed 001, time scales). What was measured long
/// ago says little: without a new sample for 2 s both fade, by half in 5 s. So a path that was left
/// because it lost is tried again. A decision that must not follow from silence takes [#newest].
/// Owner: the session's event loop.
public final class LossEstimate {
  static final long SAMPLE_NS = 250_000_000;
  static final int SAMPLE_BYTES = 24_000;
  static final long THIN_SAMPLE_NS = 1_000_000_000;
  static final int THIN_SAMPLE_BYTES = 4_000;
  private static final RttEstimator.Weights QUICK = new RttEstimator.Weights(0.63, 1e9);
  private static final RttEstimator.Weights SLOW = new RttEstimator.Weights(0.63, 10e9);

  private static final long FRESH_NS = 2_000_000_000;
  private static final double HALF_NS = 5e9;

  private final RttEstimator quick = new RttEstimator(QUICK);
  private final RttEstimator slow = new RttEstimator(SLOW);
  private boolean started;
  private int fromSent;
  private int fromArrived;
  private long fromNs;
  private long sampledNs;
  private double sharedRecent;
  private double sharedLongTerm;
  private long sharedNs;

  /// Takes the counts of one moment: without loss, what had been sent is exactly what has arrived.
  ///
  /// @param sentBytes bytes of outer IP packets that had left the sender, low 32 bits
  /// @param arrivedBytes bytes of them that have arrived, low 32 bits
  public void counts(int sentBytes, int arrivedBytes, long nowNs) {
    int sent = sentBytes - fromSent;
    boolean isMuch = nowNs - fromNs >= SAMPLE_NS && sent >= SAMPLE_BYTES;
    boolean isLong = nowNs - fromNs >= THIN_SAMPLE_NS && sent >= THIN_SAMPLE_BYTES;
    if (started && !isMuch && !isLong) {
      return; // too few, or the count of a message that a later one has overtaken
    }
    long arrived = Integer.toUnsignedLong(arrivedBytes - fromArrived);
    if (started && arrived <= 2L * sent) {
      double ratio = 1 - (double) arrived / sent;
      quick.sample(nowNs - fromNs, ratio);
      slow.sample(nowNs - fromNs, ratio);
    }
    begin(sentBytes, arrivedBytes, nowNs);
    sampledNs = nowNs;
  }

  /// Begins a sample here, and gives up the one before.
  public void begin(int sentBytes, int arrivedBytes, long nowNs) {
    started = true;
    fromSent = sentBytes;
    fromArrived = arrivedBytes;
    fromNs = nowNs;
  }

  /// Takes what the prober has measured of the same direction. It counts like the own measurement;
  /// of both the greater one is believed.
  ///
  /// @param recent share that was lost in about the last second
  /// @param longTerm share that was lost in about the last ten seconds
  public void shared(double recent, double longTerm, long nowNs) {
    sharedRecent = recent;
    sharedLongTerm = longTerm;
    sharedNs = nowNs;
  }

  /// Forgets everything, because the path has changed.
  public void reset() {
    sharedRecent = 0;
    sharedLongTerm = 0;
    quick.reset();
    slow.reset();
    started = false;
  }

  /// Returns the share that was lost in about the last second; 0 before the first sample.
  public double recent(long nowNs) {
    return Math.max(
        faded(quick.smoothed(), sampledNs, nowNs), faded(sharedRecent, sharedNs, nowNs));
  }

  /// Returns the share that was lost in about the last ten seconds; 0 before the first sample.
  public double longTerm(long nowNs) {
    return Math.max(
        faded(slow.smoothed(), sampledNs, nowNs), faded(sharedLongTerm, sharedNs, nowNs));
  }

  /// Returns the share of about the last second by this end's own newest sample, without fading;
  /// null before the first one.
  public @Nullable LossSample newest() {
    double ratio = quick.smoothed();
    return Double.isNaN(ratio) ? null : new LossSample(ratio, sampledNs);
  }

  private static double faded(double ratio, long measuredNs, long nowNs) {
    if (!(ratio > 0)) {
      return 0; // none was lost, or none was measured
    }
    long staleNs = nowNs - measuredNs - FRESH_NS;
    return staleNs <= 0 ? ratio : ratio * Math.pow(0.5, staleNs / HALF_NS);
  }
}
