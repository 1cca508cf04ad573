package io.viaduct.cnapt.policy;

/// Lets one flow per interval move to a better path. Many flows see the same better path at the
/// same time; if all of them moved, the old path would be the better one next, and they would all
/// come back. After one move, the rates are measured again before the next one.
public final class MoveLimit {
  /// Lets every flow move at once.
  static final MoveLimit NONE = new MoveLimit(0);

  private static final long INTERVAL_NS = 500_000_000;

  private final long intervalNs;
  private boolean hasMoved;
  private long movedNs;

  private MoveLimit(long intervalNs) {
    this.intervalNs = intervalNs;
  }

  /// Creates the limit of one session: a move per half second.
  public static MoveLimit ofSession() {
    return new MoveLimit(INTERVAL_NS);
  }

  /// Returns true if a flow may move now, and counts the move.
  boolean allows(long nowNs) {
    if (intervalNs == 0) {
      return true;
    }
    if (hasMoved && nowNs - movedNs < intervalNs) {
      return false;
    }
    hasMoved = true;
    movedNs = nowNs;
    return true;
  }
}
