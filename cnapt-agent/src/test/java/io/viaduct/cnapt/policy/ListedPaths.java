package io.viaduct.cnapt.policy;

import io.viaduct.tunnel.path.ProbeCounts;

/// Makes the entries of a list of paths for tests that look at link and state.
public final class ListedPaths {
  private ListedPaths() {}

  /// Returns a path of which nothing was measured.
  public static PathStatus unmeasured(
      int id, String snapt, String link, String state, long sinceMs) {
    return new PathStatus(
        id,
        snapt,
        link,
        "203.0.113.1",
        state,
        "no",
        "",
        sinceMs,
        null,
        null,
        null,
        null,
        null,
        0,
        0,
        0,
        1500,
        0,
        PathStatus.UNKNOWN_RATE,
        0,
        0,
        false,
        TowardsHere.NEVER_FULL,
        ProbeCounts.NONE);
  }
}
