package io.viaduct.testbed.bench;

import java.util.Arrays;

/// One number that stands for the values of all repetitions.
enum Statistic {
  P50("p50"),
  P95("p95"),
  P99("p99"),
  WORST("worst"),
  /// For what should be high.
  LEAST("least"),
  /// For counts: all repetitions together.
  SUM("sum");

  final String words;

  Statistic(String words) {
    this.words = words;
  }

  /// Returns the statistic, NaN without values. A percentile is a value that was measured: the
  /// smallest one that is not below this percentage of all values (nearest rank).
  double of(double[] values) {
    if (values.length == 0) {
      return Double.NaN;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return switch (this) {
      case P50 -> rank(sorted, 50);
      case P95 -> rank(sorted, 95);
      case P99 -> rank(sorted, 99);
      case LEAST -> sorted[0];
      case WORST -> sorted[sorted.length - 1];
      case SUM -> Arrays.stream(sorted).sum();
    };
  }

  private static double rank(double[] sorted, int percent) {
    return sorted[(sorted.length * percent + 99) / 100 - 1];
  }
}
