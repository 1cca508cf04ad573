package io.viaduct.cnapt.snapts;

/// Decides when a line leaves its SNAPT because one that is not used is nearer, with the margins of
/// ADR 0030, so that nothing oscillates: a fifth and 5 ms less, during the whole hold time. The
/// hold time is 2 s. If a line leaves soon after another time (within 30 s and the hold time), it
/// doubles, up to 60 s. Owner: the control loop, which passes the time as an argument.
public final class BetterSnapt {
  static final long HOLD_NS_MIN = 2_000_000_000L;
  static final long HOLD_NS_MAX = 60_000_000_000L;
  static final long FLAP_NS = 30_000_000_000L;
  static final double MARGIN = 0.2;
  static final double MARGIN_MS = 5;

  private boolean isBetter;
  private long sinceNs;
  private long holdNs = HOLD_NS_MIN;
  private boolean hasLeft;
  private long leftNs;

  /// Returns whether a round trip is clearly shorter than another one.
  public static boolean isClearlyNearer(double thanMs, double rivalMs) {
    return rivalMs < thanMs * (1 - MARGIN) && rivalMs < thanMs - MARGIN_MS;
  }

  /// Returns whether a round trip is not clearly longer than the shortest one. One that is not
  /// known is longer than any other.
  public static boolean isAboutAsNear(double ms, double shortestMs) {
    return !Double.isNaN(ms) && !isClearlyNearer(ms, shortestMs);
  }

  /// Returns whether the SNAPT should be left now. The caller then leaves it.
  ///
  /// @param usedMs round trip to the SNAPT in use; NaN if it is not known
  /// @param rivalMs round trip to the nearest one that is not used; NaN if there is none
  public boolean leaves(double usedMs, double rivalMs, long nowNs) {
    if (!isClearlyNearer(usedMs, rivalMs)) {
      isBetter = false;
      return false;
    }
    if (!isBetter) {
      isBetter = true;
      sinceNs = nowNs;
    }
    if (nowNs - sinceNs < holdNs) {
      return false;
    }
    isBetter = false;
    holdNs =
        hasLeft && nowNs - leftNs < FLAP_NS + holdNs
            ? Math.min(2 * holdNs, HOLD_NS_MAX)
            : HOLD_NS_MIN;
    hasLeft = true;
    leftNs = nowNs;
    return true;
  }
}
