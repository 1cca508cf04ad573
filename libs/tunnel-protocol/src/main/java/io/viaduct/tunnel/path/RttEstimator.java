package io.viaduct.tunnel.path;

/// Computes an exponentially weighted mean of samples at uneven spacing (seed 001): `S = [1 −
/// (1−α)^(Δ/T)]·x + (1−α)^(Δ/T)·S`. A sample after a long silence weighs more.
public final class RttEstimator {
  private final double remaining;
  private final double period;
  private double smoothed = Double.NaN;

  /// @param alpha weight of a sample after one period, 0 … 1
  /// @param period T, in the unit of the spacings
  public RttEstimator(double alpha, double period) {
    if (!(alpha > 0 && alpha < 1 && period > 0)) {
      throw new IllegalArgumentException(
          "alpha is " + alpha + ", period " + period + ": must be 0 < alpha < 1, period > 0");
    }
    this.remaining = 1 - alpha;
    this.period = period;
  }

  /// Takes a sample. @return the estimate with this sample; the sample itself if it is the first
  public double sample(double spacing, double value) {
    double kept = Math.pow(remaining, spacing / period);
    smoothed = Double.isNaN(smoothed) ? value : (1 - kept) * value + kept * smoothed;
    return smoothed;
  }

  /// Forgets all samples.
  public void reset() {
    smoothed = Double.NaN;
  }

  /// Returns the estimate, NaN before the first sample.
  public double smoothed() {
    return smoothed;
  }
}
