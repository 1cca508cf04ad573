package io.viaduct.cnapt.snapts;

import io.viaduct.tunnel.path.FlapHold;

/// Decides when a line leaves its SNAPT because one that is not used is nearer, with the margins of
/// ADR 0030, so that nothing oscillates: a fifth and 5 ms less, during the whole hold time. The
/// hold time is 2 min: a SNAPT becomes slow for some seconds when a few devices use much of its
/// line, and all its devices see that at once. If a line leaves soon after another time (within 1 h
/// and the hold time), it doubles, up to 1 h. Owner: the control loop, which passes the time as an
/// argument.
public final class BetterSnapt {
  static final long HOLD_NS_MIN = 120_000_000_000L;
  static final long HOLD_NS_MAX = 3_600_000_000_000L;
  static final long FLAP_NS = 3_600_000_000_000L;
  static final double MARGIN = 0.2;
  static final double MARGIN_MS = 5;

  private boolean isBetter;
  private long sinceNs;
  private final FlapHold hold = new FlapHold(HOLD_NS_MIN, HOLD_NS_MAX, FLAP_NS);

  /// Returns whether a round trip is clearly shorter than another one.
  public static boolean isClearlyNearer(double thanMs, double rivalMs) {
    return rivalMs < thanMs * (1 - MARGIN) && rivalMs < thanMs - MARGIN_MS;
  }

  /// Returns whether a round trip is not clearly longer than the shortest one. One that is not
  /// known is longer than any other.
  public static boolean isAboutAsNear(double ms, double shortestMs) {
    return !Double.isNaN(ms) && !isClearlyNearer(ms, shortestMs);
  }

  /// Returns the longest round trip that is about as near as this one, the shortest.
  public static double longestAboutAsNearMs(double shortestMs) {
    return Math.max(shortestMs / (1 - MARGIN), shortestMs + MARGIN_MS);
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
    if (!hold.isOver(sinceNs, nowNs)) {
      return false;
    }
    isBetter = false;
    hold.changed(nowNs);
    return true;
  }
}
