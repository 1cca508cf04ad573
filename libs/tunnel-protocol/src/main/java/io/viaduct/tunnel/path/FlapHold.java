package io.viaduct.tunnel.path;

/// The hold time of a decision, so that nothing oscillates: a change must be wanted for so long
/// before it is made. If a change follows another one within `flapNs` and the hold time, the hold
/// time doubles, up to a bound; a later change brings it back to its least value. So does a calm
/// time of four times as long, without a change. Reads no clock.
public final class FlapHold {
  private static final int CALM_TIMES = 4;

  private final long leastNs;
  private final long mostNs;
  private final long flapNs;
  private long holdNs;
  private boolean hasChanged;
  private long changedNs;

  /// @param leastNs hold time after a long time without a change
  /// @param mostNs longest hold time
  /// @param flapNs a change follows another one too soon within this time and the hold time
  public FlapHold(long leastNs, long mostNs, long flapNs) {
    this.leastNs = leastNs;
    this.mostNs = mostNs;
    this.flapNs = flapNs;
    this.holdNs = leastNs;
  }

  /// Returns whether a change may be made that has been wanted since then.
  public boolean isOver(long sinceNs, long nowNs) {
    return nowNs - sinceNs >= holdNs(nowNs); // a difference, because System.nanoTime may wrap
  }

  /// Returns the hold time that a change would need now, in ns.
  public long holdNs(long nowNs) {
    return hasChanged && nowNs - changedNs < CALM_TIMES * (flapNs + holdNs) ? holdNs : leastNs;
  }

  /// Records a change.
  public void changed(long nowNs) {
    boolean isSoon = hasChanged && nowNs - changedNs < flapNs + holdNs;
    holdNs = isSoon ? Math.min(2 * holdNs, mostNs) : leastNs;
    hasChanged = true;
    changedNs = nowNs;
  }
}
