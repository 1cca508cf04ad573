package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Verdict;
import java.util.Comparator;

/// A bound for a reading of an event.
///
/// @param isLeast true for a lower bound
record HandoverGoal(Reading reading, Statistic statistic, double bound, boolean isLeast) {
  static HandoverGoal of(Reading reading, Statistic statistic, double most) {
    return new HandoverGoal(reading, statistic, most, false);
  }

  static HandoverGoal atLeast(Reading reading, Statistic statistic, double least) {
    return new HandoverGoal(reading, statistic, least, true);
  }

  /// Returns the order of values, the best one first.
  Comparator<Double> bestFirst() {
    return isLeast ? Comparator.reverseOrder() : Comparator.naturalOrder();
  }

  String title() {
    return reading.title() + ", " + statistic.words;
  }

  double reached(double[] values) {
    return statistic.of(values);
  }

  Verdict verdict(double[] ours) {
    return isLeast
        ? Verdict.atLeast(bound, reading.unit(), reached(ours))
        : Verdict.atMost(bound, reading.unit(), reached(ours));
  }
}
