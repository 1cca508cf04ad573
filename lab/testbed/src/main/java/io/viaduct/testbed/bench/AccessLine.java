package io.viaduct.testbed.bench;

import java.util.Locale;

/// Rate of the shared line in a measurement, in Mbit/s each way.
///
/// @param first rate in the first half of the time
/// @param then rate in the second half
record AccessLine(double first, double then) {
  private static final double MOST = 1_000;

  AccessLine {
    if (!(first > 0 && first <= MOST && then > 0 && then <= MOST)) {
      throw new IllegalArgumentException(
          "a line carries more than 0 and at most %.0f Mbit/s, got %s and %s"
              .formatted(MOST, first, then));
    }
  }

  /// Reads `10`, or `10-2` for a line whose rate changes in the middle.
  static AccessLine of(String word) {
    String[] rates = word.split("-", 2);
    try {
      double first = Double.parseDouble(rates[0]);
      return new AccessLine(first, rates.length == 1 ? first : Double.parseDouble(rates[1]));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "a line is a rate in Mbit/s or two, such as 10 or 10-2, got '" + word + "'", e);
    }
  }

  boolean isChanging() {
    return first != then;
  }

  /// Returns the rate that bulk load is derived from, so that bulk always saturates the line.
  double highest() {
    return Math.max(first, then);
  }

  /// Returns the rate that the other classes must fit into.
  double lowest() {
    return Math.min(first, then);
  }

  /// Returns a rate in the form of tc(8).
  static String tcRate(double mbit) {
    return String.format(Locale.ROOT, "%.0fkbit", mbit * 1e3);
  }

  @Override
  public String toString() {
    return isChanging() ? number(first) + "-" + number(then) : number(first);
  }

  private static String number(double mbit) {
    return mbit == Math.rint(mbit) ? String.valueOf((long) mbit) : String.valueOf(mbit);
  }
}
