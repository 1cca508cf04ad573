package io.viaduct.snapt.relay;

import io.viaduct.tunnel.control.v1.PathRate;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.PathUse;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.List;

/// The paths of a session towards its device, as this end ranks them for flows that count rate.
final class PathRates {
  /// Rate by which a path must change to be told, because the spare rate of a loaded path changes
  /// all the time.
  static final long CHANGE_LEAST = 1_000_000;

  private PathRates() {}

  /// Returns the paths in use; none if there is only one, or the device does not know the route.
  static List<PathRate> of(TunnelSession session, long nowNs) {
    if (!session.hasSeveralPaths() || !session.knows(FlowRoute.MOST_SPARE)) {
      return List.of();
    }
    return session.paths(nowNs).stream()
        .filter(path -> path.use() != PathUse.NO)
        .map(PathRates::of)
        .toList();
  }

  private static PathRate of(PathState path) {
    PathRate.Builder rate = PathRate.newBuilder().setPath(path.id()).setBad(path.bad());
    if (Double.isFinite(path.spareBitPerSecond())) {
      rate.setSpareBitPerSecond(Math.round(path.spareBitPerSecond()));
    }
    return rate.build();
  }

  /// Returns whether a device must be told: a path has changed by a fifth of its spare rate and by
  /// [#CHANGE_LEAST]. A path that was not told counts as never full.
  static boolean haveChanged(List<PathRate> told, List<PathRate> now) {
    for (PathRate each : now) {
      if (hasChanged(find(told, each.getPath()), each)) {
        return true;
      }
    }
    return false;
  }

  /// Returns whether any path is known to be full at some rate, or loses much.
  static boolean areKnown(List<PathRate> paths) {
    return paths.stream().anyMatch(each -> each.hasSpareBitPerSecond() || each.getBad());
  }

  private static PathRate find(List<PathRate> told, int path) {
    return told.stream()
        .filter(each -> each.getPath() == path)
        .findFirst()
        .orElse(PathRate.getDefaultInstance());
  }

  private static boolean hasChanged(PathRate told, PathRate now) {
    if (told.hasSpareBitPerSecond() != now.hasSpareBitPerSecond()
        || told.getBad() != now.getBad()) {
      return true;
    }
    long before = told.getSpareBitPerSecond();
    long after = now.getSpareBitPerSecond();
    long change = Math.abs(after - before);
    return change >= CHANGE_LEAST && change >= RateNotices.CHANGE * Math.max(before, after);
  }
}
