package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Verdict;

/// An upper bound for a reading of an event.
record HandoverGoal(Reading reading, Statistic statistic, double most) {
  static HandoverGoal of(Reading reading, Statistic statistic, double most) {
    return new HandoverGoal(reading, statistic, most);
  }

  String title() {
    return reading.title() + ", " + statistic.words;
  }

  double reached(double[] values) {
    return statistic.of(values);
  }

  Verdict verdict(double[] ours) {
    return Verdict.atMost(most, reading.unit(), reached(ours));
  }
}
