package io.viaduct.tunnel.session;

/// The order of paths for flows that count rate: a path that is not bad first, then more spare
/// rate, then less delay. Both ends and the answer of `cnapt policy test` use it.
public final class RateOrder {
  private RateOrder() {}

  /// Returns whether one path comes before another one.
  ///
  /// @param bad whether it loses 5 % and more
  /// @param spare rate that it could carry in addition, in any unit; infinite if it was never full
  /// @param delay round trip with what counts for its loss, in any unit
  public static boolean isBefore(
      boolean bad,
      double spare,
      double delay,
      boolean otherBad,
      double otherSpare,
      double otherDelay) {
    if (bad != otherBad) {
      return otherBad;
    }
    int bySpare = Double.compare(spare, otherSpare);
    return bySpare > 0 || bySpare == 0 && delay < otherDelay;
  }
}
