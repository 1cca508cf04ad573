package io.viaduct.service.operations;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/// Holds the reasons why a process is not ready: at most one per part, set and cleared by that
/// part. The process is ready when there is no reason. Thread-safe.
public final class Readiness {
  /// Most parts with a reason; more would mean that names are not from a fixed set.
  static final int OBSTACLES_MAX = 64;

  private final Map<String, String> obstacles = new ConcurrentSkipListMap<>();

  /// Creates the readiness of a process whose parts are all starting.
  ///
  /// @param parts parts with the reason "starting" until they are cleared
  public Readiness(String... parts) {
    for (String part : parts) {
      obstructed(part, "starting");
    }
  }

  /// Records that a part is not ready.
  ///
  /// @param part name of the part, from a fixed set
  /// @param reason one line for an operator
  public void obstructed(String part, String reason) {
    if (obstacles.size() >= OBSTACLES_MAX && !obstacles.containsKey(part)) {
      throw new IllegalStateException(
          "at most " + OBSTACLES_MAX + " parts may report readiness, '" + part + "' is one more");
    }
    obstacles.put(part, reason);
  }

  /// Records that a part is ready.
  public void cleared(String part) {
    obstacles.remove(part);
  }

  /// Returns whether all parts are ready.
  public boolean ready() {
    return obstacles.isEmpty();
  }

  /// Returns the reason of each part that is not ready, sorted by part.
  public Map<String, String> obstacles() {
    return new TreeMap<>(obstacles);
  }

  /// Returns one line `part: reason` per part that is not ready, sorted.
  public List<String> reasons() {
    return obstacles.entrySet().stream().map(o -> o.getKey() + ": " + o.getValue()).toList();
  }
}
