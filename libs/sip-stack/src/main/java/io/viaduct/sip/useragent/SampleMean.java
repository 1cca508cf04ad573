package io.viaduct.sip.useragent;

/// An exponentially weighted mean over samples. SIP probes are rare and come at very different
/// distances, so each sample has the same weight, however long ago the one before it is.
final class SampleMean {
  private final double weight;
  private double mean = Double.NaN;

  /// @param weight of a new sample, 0 … 1
  SampleMean(double weight) {
    this.weight = weight;
  }

  void sample(double value) {
    mean = Double.isNaN(mean) ? value : mean + weight * (value - mean);
  }

  /// Returns the mean, NaN before the first sample.
  double value() {
    return mean;
  }
}
