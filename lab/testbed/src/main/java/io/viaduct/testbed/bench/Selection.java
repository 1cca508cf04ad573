package io.viaduct.testbed.bench;

import java.util.List;
import java.util.function.Function;

/// Selects items by the names that a person gave on the command line.
final class Selection {
  private Selection() {}

  /// Returns the named items, or all items without a name.
  ///
  /// @throws IllegalArgumentException with the existing names, if a name is unknown
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

  /// Returns the named constants of an enumeration, or all without a name.
  static <E extends Enum<E>> List<E> of(Class<E> type, List<String> chosen, String what) {
    return of(List.of(type.getEnumConstants()), Enum::toString, chosen, what);
  }
}
