package io.viaduct.tunnel.session;

import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.function.Predicate;

/// Moves what waits for a path that packets may no longer leave by. Compounds are sealed when they
/// leave, so none of them is lost. Packets that a rule of the device binds to the path move to no
/// other one: they are dropped, and counted as NO_PATH. What has left by the path, and may not have
/// arrived, leaves again ([RecentBursts]).
final class PathMoves {
  private final SessionPaths paths;
  private final PathChoice choice;
  private final VerdictCounters verdicts;

  PathMoves(SessionPaths paths, PathChoice choice, VerdictCounters verdicts) {
    this.paths = paths;
    this.choice = choice;
    this.verdicts = verdicts;
  }

  /// Drops what waits for a path and may not leave by it any more, and counts it as NO_PATH.
  void dropForbidden(SessionPath path, long nowNs) {
    path.compounds.refuse(
        path.id,
        compound -> verdicts.add(Verdict.NO_PATH, path.datagrams.drop(compound, nowNs)),
        nowNs);
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
        each.compounds.moveTo(
            to.compounds,
            to.id,
            compound -> verdicts.add(Verdict.NO_PATH, each.datagrams.drop(compound, nowNs)),
            nowNs);
        each.recent.moveTo(to.repeats, nowNs);
      }
    }
  }
}
