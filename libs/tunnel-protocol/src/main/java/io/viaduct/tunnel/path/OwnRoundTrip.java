package io.viaduct.tunnel.path;

import java.util.random.RandomGenerator;

/// Measures at the SNAPT the round trip of a path, by CHALLENGEs with random numbers. The device
/// cannot answer before it was asked, so its one-way delays cannot be longer than what is measured
/// here, unless it delays its answers as well. Times in ns and µs of this end's clock.
///
/// A path is asked three times at once, one question after the other, and then every 5 s while data
/// come. An answer may wait behind what the device sends; one of three did not, or for little.
public final class OwnRoundTrip {
  private static final long SPACING_NS = 5_000_000_000L;

  private static final int FIRST_SAMPLES = 3;

  /// Questions of an interval without an answer after which the device does not want to answer.
  private static final int UNANSWERED_MAX = 3;

  private final RandomGenerator random;
  private boolean open;
  private long nonce;
  private long askedNs;
  private boolean began;
  private int asked;
  private int answered;
  private int samples;
  private double sumUs;
  private double lastUs = Double.NaN;
  private double leastUs = Double.NaN;

  public OwnRoundTrip(RandomGenerator random) {
    this.random = random;
  }

  /// Returns whether the path must be asked now.
  public boolean isDue(long nowNs) {
    return !began || !isSettled() && !open || nowNs - askedNs >= SPACING_NS;
  }

  /// Returns whether [#leastUs] is known well enough to compare others with it.
  public boolean isSettled() {
    return samples >= FIRST_SAMPLES;
  }

  /// Returns the number of a question that leaves now.
  public long ask(long nowNs) {
    began = true;
    open = true;
    nonce = random.nextLong();
    askedNs = nowNs;
    asked++;
    return nonce;
  }

  /// Takes an answer. @return false if it answers no open question
  public boolean answered(long of, long nowNs) {
    if (!open || of != nonce) {
      return false;
    }
    open = false;
    lastUs = (nowNs - askedNs) / 1000.0;
    leastUs = lastUs >= leastUs ? leastUs : lastUs; // NaN before the first sample
    answered++;
    samples++;
    sumUs += lastUs;
    return true;
  }

  /// Starts an interval of [#boundUs].
  public void start() {
    asked = 0;
    answered = 0;
    sumUs = 0;
  }

  /// Returns the mean round trip of the interval in µs, or the last one before it; NaN before the
  /// first. 0 if the device has answered no question of the interval: then nothing supports its
  /// word.
  public double boundUs() {
    if (answered > 0) {
      return sumUs / answered;
    }
    return asked >= UNANSWERED_MAX ? 0 : lastUs;
  }

  /// Returns the last round trip in µs; NaN before the first.
  public double lastUs() {
    return lastUs;
  }

  /// Returns the least round trip in µs since the path began; NaN before the first.
  public double leastUs() {
    return leastUs;
  }

  /// Forgets all, because the path has changed.
  public void forget() {
    open = false;
    began = false;
    samples = 0;
    lastUs = Double.NaN;
    leastUs = Double.NaN;
    start();
  }
}
