package io.viaduct.testbed.bench;

import java.util.stream.DoubleStream;

/// The middle of the values, or between the two in the middle.
public final class Median {
  private Median() {}

  /// NaN when there is none; values that are NaN do not count.
  public static double of(DoubleStream values) {
    double[] sorted = values.filter(value -> !Double.isNaN(value)).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length == 0
        ? Double.NaN
        : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
