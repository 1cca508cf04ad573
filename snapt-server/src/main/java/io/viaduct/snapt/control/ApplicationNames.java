package io.viaduct.snapt.control;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Devices of one version name the same applications: they share one list. Owned by the control
/// thread.
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

  /// The list that stands for all equal ones.
  List<String> shared(List<String> names) {
    return lists.computeIfAbsent(List.copyOf(names), same -> same);
  }
}
