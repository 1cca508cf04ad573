package io.viaduct.service.operations;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/// Why a process must not get work yet: one obstacle per part, each set and cleared by the part
/// that knows. A process is ready when nothing stands in its way. Any thread may call.
public final class Readiness {
  /// Most parts that may stand in the way; more would be a leak of names.
  static final int OBSTACLES_MAX = 64;

  private final Map<String, String> obstacles = new ConcurrentSkipListMap<>();

  /// A process whose parts have all yet to report.
  ///
  /// @param parts each is an obstacle, "starting", until it is cleared
  public Readiness(String... parts) {
    for (String part : parts) {
      obstructed(part, "starting");
    }
  }

  /// Records that a part stands in the way.
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

  /// Records that a part does not stand in the way any more.
  public void cleared(String part) {
    obstacles.remove(part);
  }

  /// Whether nothing stands in the way.
  public boolean ready() {
    return obstacles.isEmpty();
  }

  /// One `part: reason` per obstacle, sorted.
  public List<String> reasons() {
    return obstacles.entrySet().stream().map(o -> o.getKey() + ": " + o.getValue()).toList();
  }
}
