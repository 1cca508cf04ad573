package io.viaduct.testbed.report;

import java.util.stream.DoubleStream;

/// Computes the median: the middle value, or the mean of the two middle values.
public final class Median {
  private Median() {}

  /// Returns the median of all values that are not NaN, or NaN without any.
  public static double of(DoubleStream values) {
    double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length == 0
        ? Double.NaN
        : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
