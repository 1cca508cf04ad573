package io.viaduct.cnapt.policy;

import io.viaduct.tunnel.path.FlapHold;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides whether one path is not enough for one flow. Reads no clock.
///
/// - One path is not enough if, during the whole hold time, the flow has at least 1 Mbit/s, its
///   path has less spare rate than an eighth of that, and another usable path has at least a
///   quarter of it.
/// - One path is enough again if, during the whole hold time, a usable path could carry the whole
///   flow in addition to its present traffic.
///
/// The hold time is 2 s, and doubles as that of [SteadyPath] does.
final class FullPath {
  private static final long FLOW_BIT_PER_SECOND_MIN = 1_000_000;

  private boolean isFull;
  private boolean isPending;
  private long pendingSinceNs;
  private final FlapHold hold = SteadyPath.hold();

  /// Returns true while one path is not enough.
  ///
  /// @param held the path of the flow; null if it has none
  boolean update(
      @Nullable PathSnapshot held, List<PathSnapshot> paths, long flowBitPerSecond, long nowNs) {
    boolean wanted =
        isFull ? !isEnough(paths, flowBitPerSecond) : fills(held, paths, flowBitPerSecond);
    if (wanted == isFull) {
      isPending = false;
      return isFull;
    }
    if (!isPending) {
      isPending = true;
      pendingSinceNs = nowNs;
    }
    if (hold.isOver(pendingSinceNs, nowNs)) {
      isFull = wanted;
      isPending = false;
      hold.changed(nowNs);
    }
    return isFull;
  }

  private static boolean fills(
      @Nullable PathSnapshot held, List<PathSnapshot> paths, long flowBitPerSecond) {
    return held != null
        && flowBitPerSecond >= FLOW_BIT_PER_SECOND_MIN
        && held.spareBitPerSecond() < flowBitPerSecond / 8
        && paths.stream()
            .anyMatch(path ->
                path.id() != held.id()
                    && path.state() == PathState.USABLE
                    && path.spareBitPerSecond() >= flowBitPerSecond / 4);
  }

  private static boolean isEnough(List<PathSnapshot> paths, long flowBitPerSecond) {
    return paths.stream()
        .anyMatch(path ->
            path.state() == PathState.USABLE && path.spareBitPerSecond() >= flowBitPerSecond);
  }
}
