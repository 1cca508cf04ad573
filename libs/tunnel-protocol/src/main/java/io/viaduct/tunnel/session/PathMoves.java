package io.viaduct.tunnel.session;

import java.util.function.Predicate;

/// Moves what waits for a path that packets may no longer leave by. Compounds are sealed when they
/// leave, so none of them is lost. What has left by the path, and may not have arrived, leaves
/// again ([UnconfirmedBursts]).
final class PathMoves {
  private final SessionPaths paths;
  private final PathChoice choice;

  PathMoves(SessionPaths paths, PathChoice choice) {
    this.paths = paths;
    this.choice = choice;
  }

  /// Applies a change of the paths' use or addresses.
  ///
  /// @param carries tells whether a path has a peer to send to
  void follow(Predicate<SessionPath> carries, long nowNs) {
    if (!paths.choose(carries)) {
      return;
    }
    SessionPath to = choice.nearest(nowNs);
    for (SessionPath each : paths.open()) {
      if (each != to && !paths.isUsable(each)) {
        each.compounds.moveTo(to.compounds, nowNs);
        each.unconfirmed.moveTo(to.repeats, nowNs);
      }
    }
  }
}
