package io.viaduct.snapt.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Shares equal lists of application names between sessions, because all devices of one version
/// have the same list. Owned by the control thread.
final class ApplicationNames {
  private static final int LISTS_MAX = 64;

  private final Map<List<String>, List<String>> lists =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<List<String>, List<String>> eldest) {
          return size() > LISTS_MAX;
        }
      };

  /// Returns the shared list that equals the given one.
  List<String> shared(List<String> names) {
    return lists.computeIfAbsent(List.copyOf(names), same -> same);
  }
}
