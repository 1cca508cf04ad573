package io.viaduct.testbed.bench;

import java.util.Locale;

/// What was to be reached, what was, and whether that is enough.
///
/// @param goal for people, such as `≥ 3 × best`
/// @param reached in the goal's unit; NaN when it was not measured
/// @param won never true without a measured value
public record Verdict(String goal, double reached, boolean won) {
  /// @param unit of both numbers
  public static Verdict atLeast(double bound, String unit, double reached) {
    return new Verdict("≥ %s %s".formatted(trim(bound), unit), reached, reached >= bound);
  }

  /// @param unit of both numbers
  public static Verdict atMost(double bound, String unit, double reached) {
    return new Verdict("≤ %s %s".formatted(trim(bound), unit), reached, reached <= bound);
  }

  private static String trim(double bound) {
    return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
  }

  /// `≥ 3 × best: 3.22 won`.
  @Override
  public String toString() {
    return Double.isNaN(reached)
        ? goal + ": not measured"
        : String.format(Locale.ROOT, "%s: %.2f %s", goal, reached, won ? "won" : "LOST");
  }
}
