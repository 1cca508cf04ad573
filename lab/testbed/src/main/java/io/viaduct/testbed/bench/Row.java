package io.viaduct.testbed.bench;

import io.viaduct.testbed.report.Verdict;
import java.util.List;

/// A row of the table.
///
/// @param id in the JSON file
/// @param title for people
/// @param decimals significant decimals
/// @param goals of the row; empty for a row without a goal
record Row(String id, String title, String unit, Sense sense, int decimals, List<Goal> goals) {
  /// Says if a higher or a lower value is better.
  enum Sense {
    MORE,
    LESS;

    boolean isBetter(double value, double than) {
      return this == MORE ? value > than : value < than;
    }
  }

  static Row more(String id, String title, String unit, int decimals, Goal... goals) {
    return new Row(id, title, unit, Sense.MORE, decimals, List.of(goals));
  }

  static Row less(String id, String title, String unit, int decimals, Goal... goals) {
    return new Row(id, title, unit, Sense.LESS, decimals, List.of(goals));
  }

  /// Returns the verdict of each goal.
  List<Verdict> verdicts(Samples samples) {
    return goals.stream().map(goal -> goal.judge(this, samples)).toList();
  }
}
