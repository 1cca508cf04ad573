package io.viaduct.cnapt.policy;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The status of one path, as `/status` shows it in the list `paths`.
///
/// @param state name of a [PathState] in lower case
/// @param delayMs smoothed delay; null before the first measurement
public record PathStatus(
    int id,
    String link,
    String state,
    @Nullable Double delayMs,
    long spareBitPerSecond,
    double cost) {
  private static final double NS_PER_MS = 1e6;

  /// Returns the status of a path.
  public static PathStatus of(PathSnapshot path) {
    return new PathStatus(
        path.id(),
        path.link(),
        path.state().name().toLowerCase(Locale.ROOT),
        path.delayNs() == PathSnapshot.UNKNOWN_DELAY ? null : path.delayNs() / NS_PER_MS,
        path.spareBitPerSecond(),
        path.cost());
  }

  /// Returns the path.
  ///
  /// @throws IllegalArgumentException for a state that this version does not know
  PathSnapshot snapshot() {
    return new PathSnapshot(
        id,
        link,
        PathState.valueOf(state.toUpperCase(Locale.ROOT)),
        delayMs == null ? PathSnapshot.UNKNOWN_DELAY : Math.round(delayMs * NS_PER_MS),
        spareBitPerSecond,
        cost);
  }
}
