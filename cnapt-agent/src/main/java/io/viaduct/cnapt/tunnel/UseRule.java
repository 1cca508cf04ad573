package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.session.PathUse;
import java.util.List;

/// Decides which paths carry data: those by which the SNAPT answers and whose hold time is over. A
/// path with a weak signal is left while it still works, if another one works; then nothing is lost
/// by the move. Without a path that works, every path is used. A spare path changes places with the
/// others while every other path that works loses badly, unless it does so itself: they are the
/// spare ones then, so that nothing returns to them because their loss is no longer measured.
final class UseRule {
  /// The facts about a path.
  interface Facts {
    /// Returns whether the SNAPT answers by this path.
    boolean isAlive();

    /// Returns whether the path is alive and its hold time is over.
    boolean isReady(long nowNs);

    /// Returns whether the signal of its link is weak.
    boolean isWeak();

    /// Returns whether it carries data only while no other path does, or all of them lose badly.
    boolean isSpare();

    /// Returns whether so many packets are lost on it that it is hardly of use.
    boolean isLosingBadly();
  }

  private UseRule() {}

  /// Returns the use of a path.
  ///
  /// @param all all paths, this one included
  static PathUse of(Facts path, List<? extends Facts> all, long nowNs) {
    boolean anyAlive = false;
    boolean anyReady = false;
    boolean anyStrong = false;
    for (int i = 0; i < all.size(); i++) {
      Facts each = all.get(i);
      anyAlive |= each.isAlive();
      anyReady |= each.isReady(nowNs);
      anyStrong |= each.isReady(nowNs) && !each.isWeak();
    }
    boolean works = anyReady ? path.isReady(nowNs) : !anyAlive || path.isAlive();
    if (!works || anyStrong && path.isWeak()) {
      return PathUse.NO;
    }
    boolean isSpare =
        path.isSpare()
            ? !isNeeded(path, all, nowNs)
            : path.isLosingBadly() && isReplaced(all, anyStrong, nowNs);
    return isSpare ? PathUse.SPARE : PathUse.YES;
  }

  private static boolean isReplaced(List<? extends Facts> all, boolean anyStrong, long nowNs) {
    for (int i = 0; i < all.size(); i++) {
      Facts each = all.get(i);
      if (each.isSpare()
          && each.isReady(nowNs)
          && !(anyStrong && each.isWeak())
          && isNeeded(each, all, nowNs)) {
        return true;
      }
    }
    return false;
  }

  // Without a path that is ready, the spare ones are used anyway, because nothing else is.
  private static boolean isNeeded(Facts spare, List<? extends Facts> all, long nowNs) {
    boolean anyLosing = false;
    for (int i = 0; i < all.size(); i++) {
      Facts each = all.get(i);
      if (!each.isSpare() && each.isReady(nowNs)) {
        if (!each.isLosingBadly()) {
          return false;
        }
        anyLosing = true;
      }
    }
    return anyLosing && !spare.isLosingBadly();
  }
}
