package io.viaduct.testbed.bench;

import java.util.List;
import java.util.function.Function;

/// What a person has chosen by name from what there is.
final class Chosen {
  private Chosen() {}

  /// Everything when nothing is named.
  ///
  /// @throws IllegalArgumentException naming what exists, when a name does not
  static <T> List<T> of(List<T> all, Function<T, String> name, List<String> chosen, String what) {
    List<String> names = all.stream().map(name).toList();
    for (String word : chosen) {
      if (!names.contains(word)) {
        throw new IllegalArgumentException(
            "no %s '%s'; there are %s".formatted(what, word, String.join(", ", names)));
      }
    }
    return all.stream()
        .filter(one -> chosen.isEmpty() || chosen.contains(name.apply(one)))
        .toList();
  }

  /// The choice as on the command line, with a space before it; empty when nothing is named.
  static String words(String option, List<String> chosen) {
    return chosen.isEmpty() ? "" : " " + option + " " + String.join(",", chosen);
  }
}
