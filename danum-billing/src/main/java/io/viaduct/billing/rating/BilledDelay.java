package io.viaduct.billing.rating;

import org.jspecify.annotations.Nullable;

/// The delay that a flow is priced at.
///
/// @param delayMs one-way delay, milliseconds, never negative
/// @param errorMs bound on its error, milliseconds; null if it is not known, as for a reference
/// @param source where the delay comes from
/// @param isSkewed true if the measured delay was below -5 ms: the clocks disagree. Skewed flows
///   are counted
public record BilledDelay(
    double delayMs, @Nullable Double errorMs, DelaySource source, boolean isSkewed) {
  /// Smallest measured delay that counts as zero. The correction of the clock offset is accurate to
  /// a few milliseconds.
  public static final double NEGATIVE_TOLERATED_MS = -5.0;

  /// Returns the delay to price. A missing delay, and one below [#NEGATIVE_TOLERATED_MS], is
  /// replaced by the reference. The SNAPT knows the flow's history and its control round trip, so
  /// it applies the other fallbacks itself. The price therefore depends on one report only, not on
  /// earlier ones.
  ///
  /// @param referenceMs d_ref of the application or class, milliseconds
  public static BilledDelay of(FlowMeasure flow, double referenceMs) {
    if (flow.delaySource() == DelaySource.REFERENCE) {
      return new BilledDelay(referenceMs, null, DelaySource.REFERENCE, false);
    }
    if (flow.delayMs() >= 0) {
      return new BilledDelay(flow.delayMs(), flow.delayErrorMs(), flow.delaySource(), false);
    }
    if (flow.delayMs() >= NEGATIVE_TOLERATED_MS) {
      return new BilledDelay(0.0, flow.delayErrorMs(), flow.delaySource(), false);
    }
    return new BilledDelay(referenceMs, null, DelaySource.REFERENCE, true);
  }
}
