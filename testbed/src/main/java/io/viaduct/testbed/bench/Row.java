package io.viaduct.testbed.bench;

import java.util.List;
import java.util.Locale;

/// A line of the table.
///
/// @param id in the JSON file
/// @param title for people
/// @param decimals that mean something
/// @param goals what is to be reached; none for what is only told
record Row(String id, String title, String unit, Sense sense, int decimals, List<Goal> goals) {
  /// Which of two values is better.
  enum Sense {
    MORE,
    LESS;

    boolean better(double value, double than) {
      return this == MORE ? value > than : value < than;
    }
  }

  static Row more(String id, String title, String unit, int decimals, Goal... goals) {
    return new Row(id, title, unit, Sense.MORE, decimals, List.of(goals));
  }

  static Row less(String id, String title, String unit, int decimals, Goal... goals) {
    return new Row(id, title, unit, Sense.LESS, decimals, List.of(goals));
  }

  String format(double value) {
    return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
