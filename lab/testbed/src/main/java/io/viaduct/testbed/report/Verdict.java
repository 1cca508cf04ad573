package io.viaduct.testbed.report;

import java.util.Locale;

/// A goal with the reached value.
///
/// @param goal for people, such as `≥ 3 × best`
/// @param reached in the goal's unit; NaN when it was not measured
/// @param won never true without a measured value
public record Verdict(String goal, double reached, boolean won) {
  /// Makes a verdict with a lower bound.
  ///
  /// @param unit of both numbers
  public static Verdict atLeast(double bound, String unit, double reached) {
    return new Verdict("≥ %s %s".formatted(trim(bound), unit).strip(), reached, reached >= bound);
  }

  /// Makes a verdict with an upper bound.
  ///
  /// @param unit of both numbers; empty for counts
  public static Verdict atMost(double bound, String unit, double reached) {
    return new Verdict("≤ %s %s".formatted(trim(bound), unit).strip(), reached, reached <= bound);
  }

  private static String trim(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  /// Returns for example `≥ 3 × best: 3.22 won`.
  @Override
  public String toString() {
    return Double.isNaN(reached)
        ? goal + ": not measured"
        : String.format(Locale.ROOT, "%s: %.2f %s", goal, reached, won ? "won" : "LOST");
  }
}
