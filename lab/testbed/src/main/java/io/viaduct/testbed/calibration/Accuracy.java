package io.viaduct.testbed.calibration;

import io.viaduct.testbed.report.Grid;
import io.viaduct.testbed.report.Median;
import io.viaduct.testbed.report.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One row of the report: one setting of the weather, with the values of all rounds.
///
/// @param setting of the weather, as the laboratory's prompt reads it
/// @param load on the link beside the measurement
/// @param goal of the row
/// @param values by round, in the row's unit
/// @param judged by round: the number that the goal bounds
record Accuracy(
    String measure,
    String setting,
    String load,
    String unit,
    Goal goal,
    List<Double> values,
    List<Double> judged) {
  /// The bound of a row.
  ///
  /// @param unit of the bound
  /// @param isLower true for a lower bound; otherwise the absolute value is bounded from above
  record Goal(double bound, String unit, boolean isLower) {
    static Goal atMost(double bound, String unit) {
      return new Goal(bound, unit, false);
    }

    static Goal atLeast(double bound, String unit) {
      return new Goal(bound, unit, true);
    }

    /// Makes a row without a goal.
    static Goal none() {
      return new Goal(Double.NaN, "", true);
    }

    Optional<Verdict> judge(double reached) {
      return Double.isNaN(bound)
          ? Optional.empty()
          : Optional.of(
              isLower
                  ? Verdict.atLeast(bound, unit, reached)
                  : Verdict.atMost(bound, unit, Math.abs(reached)));
    }
  }

  static Accuracy row(String measure, String setting, String load, String unit, Goal goal) {
    return new Accuracy(measure, setting, load, unit, goal, new ArrayList<>(), new ArrayList<>());
  }

  /// Adds the value of a round, which the goal bounds.
  void add(double value) {
    add(value, value);
  }

  void add(double value, double bounded) {
    values.add(value);
    judged.add(bounded);
  }

  private static double[] array(List<Double> numbers) {
    return numbers.stream().mapToDouble(Double::doubleValue).toArray();
  }

  Optional<Verdict> verdict() {
    return goal.judge(Median.of(judged.stream().mapToDouble(Double::doubleValue)));
  }

  static Grid<Accuracy> grid() {
    return new Grid<Accuracy>()
        .text("measure", "measure", Accuracy::measure)
        .text("setting", "setting", Accuracy::setting)
        .text("load", "load", Accuracy::load)
        .rounds(
            "value", "value", row -> row.unit.equals("Mbit/s") ? 1 : 3, row -> array(row.values))
        .text("unit", "unit", Accuracy::unit)
        .member("judged", row -> array(row.judged))
        .goal("goal", "goal", Accuracy::verdict);
  }
}
