package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.session.PathUse;
import java.util.List;

/// Decides which paths carry data: those by which the SNAPT answers and whose hold time is over. A
/// path with a weak signal is left while it still works, if another one works; then nothing is lost
/// by the move. A spare path carries data while no other one works, and while all others lose
/// badly. Without a path that works, every path is used.
final class UseRule {
  /// The facts about a path.
  interface Facts {
    /// Returns whether the SNAPT answers by this path.
    boolean isAlive();

    /// Returns whether the path is alive and its hold time is over.
    boolean isReady(long nowNs);

    /// Returns whether the signal of its link is weak.
    boolean isWeak();

    /// Returns whether it carries data only while no other path does it well.
    boolean isSpare();

    /// Returns whether the path loses so much that connections stand nearly still.
    boolean isBad();
  }

  private UseRule() {}

  /// Returns the use of a path.
  ///
  /// @param all all paths, this one included
  static PathUse of(Facts path, List<? extends Facts> all, long nowNs) {
    boolean anyAlive = false;
    boolean anyReady = false;
    boolean anyStrong = false;
    boolean anyPlain = false;
    boolean anyGood = false;
    for (int i = 0; i < all.size(); i++) {
      Facts each = all.get(i);
      anyAlive |= each.isAlive();
      anyReady |= each.isReady(nowNs);
      anyStrong |= each.isReady(nowNs) && !each.isWeak();
      anyPlain |= each.isReady(nowNs) && !each.isSpare();
      anyGood |= each.isReady(nowNs) && !each.isSpare() && !each.isBad();
    }
    boolean works = anyReady ? path.isReady(nowNs) : !anyAlive || path.isAlive();
    if (!works || anyStrong && path.isWeak()) {
      return PathUse.NO;
    }
    boolean helps = anyPlain && !anyGood && !path.isBad();
    return path.isSpare() && !helps ? PathUse.SPARE : PathUse.YES;
  }
}
