package io.viaduct.tunnel.path;

/// Computes an exponentially weighted mean of samples at uneven spacing (seed 001): `S = [1 −
/// (1−α)^(Δ/T)]·x + (1−α)^(Δ/T)·S`. A sample after a long silence weighs more.
public final class RttEstimator {
  /// Weights of samples, shared by all estimators of one kind.
  ///
  /// @param up α of a sample above the mean, 0 … 1
  /// @param down α of one below it
  /// @param period T, in the unit of the spacings
  public record Weights(double up, double down, double period) {
    public Weights {
      if (!(up > 0 && up < 1 && down > 0 && down < 1 && period > 0)) {
        throw new IllegalArgumentException(
            "alpha is %s and %s, period %s: must be 0 < alpha < 1, period > 0"
                .formatted(up, down, period));
      }
    }

    /// Weights samples alike above and below the mean.
    public Weights(double alpha, double period) {
      this(alpha, alpha, period);
    }
  }

  private final Weights weights;
  private double smoothed = Double.NaN;

  public RttEstimator(Weights weights) {
    this.weights = weights;
  }

  /// Takes a sample. @return the estimate with this sample; the sample itself if it is the first
  public double sample(double spacing, double value) {
    double alpha = value < smoothed ? weights.down : weights.up;
    double kept = Math.pow(1 - alpha, spacing / weights.period);
    smoothed = Double.isNaN(smoothed) ? value : (1 - kept) * value + kept * smoothed;
    return smoothed;
  }

  /// Replaces the estimate.
  public void startAt(double value) {
    smoothed = value;
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
