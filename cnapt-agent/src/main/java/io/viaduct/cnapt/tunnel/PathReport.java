package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.TowardsHere;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.PathUse;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Puts what was measured on a path, and what was decided about it, into its status.
final class PathReport {
  /// Loss above which a path is losing. It is left by the loss of the last second, and may return
  /// by that of the last ten seconds, so a path whose loss comes and goes is not taken in between.
  private static final double LOSING_RATIO = 0.02;

  private PathReport() {}

  /// Returns whether a path is losing.
  ///
  /// @param before whether it was losing at the last look
  static boolean isLosing(PathState measured, boolean before) {
    return Math.max(measured.lossRatio(), measured.lossToHereRatio()) >= LOSING_RATIO
        || before && measured.usualLossRatio() >= LOSING_RATIO;
  }

  /// Returns the status.
  ///
  /// @param state name of a state of [io.viaduct.cnapt.policy.PathState] in lower case
  /// @param sinceMs time since the use changed last
  /// @param cost price of one gigabyte
  static PathStatus of(
      PathState measured,
      String link,
      String remote,
      String state,
      PathUse use,
      String why,
      long sinceMs,
      double cost) {
    double spare = measured.spareBitPerSecond();
    return new PathStatus(
        measured.id(),
        "",
        link,
        remote,
        state,
        use.name().toLowerCase(Locale.ROOT),
        why,
        sinceMs,
        milliseconds(measured.roundTripUs()),
        milliseconds(measured.usualRoundTripUs()),
        milliseconds(measured.countedDelayUs()),
        milliseconds(measured.clockOffsetUs()),
        milliseconds(measured.delayErrorUs()),
        percent(measured.lossRatio()),
        percent(measured.lossToHereRatio()),
        percent(measured.usualLossRatio()),
        measured.pathMtu(),
        Math.round(measured.sentBitPerSecond()),
        Double.isInfinite(spare) ? PathStatus.UNKNOWN_RATE : Math.round(spare),
        Math.round(measured.peerBitPerSecond()),
        cost,
        measured.bad(),
        TowardsHere.NEVER_FULL,
        measured.probes());
  }

  private static @Nullable Double milliseconds(double us) {
    return Double.isNaN(us) ? null : us / 1000;
  }

  private static double percent(double ratio) {
    return Math.round(ratio * 1000) / 10.0;
  }
}
