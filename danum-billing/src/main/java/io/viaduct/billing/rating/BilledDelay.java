package io.viaduct.billing.rating;

/// The delay that a flow is priced at.
///
/// @param ms never negative
/// @param source where it came from
/// @param skewed the measured delay was below -5 ms: the clocks disagree, and that is counted
public record BilledDelay(double ms, DelaySource source, boolean skewed) {
  /// Offset correction is good to some milliseconds: down to here a negative delay reads as zero.
  public static final double NEGATIVE_TOLERATED_MS = -5.0;

  /// Rules for a missing or negative delay. The SNAPT, which knows the flow's history and its
  /// control round trip, falls back by itself and says so; billing adds only the reference, so that
  /// a price never depends on which reports came before.
  ///
  /// @param referenceMs d_ref of the application or class
  public static BilledDelay of(FlowMeasure flow, double referenceMs) {
    if (flow.delaySource() == DelaySource.REFERENCE) {
      return new BilledDelay(referenceMs, DelaySource.REFERENCE, false);
    }
    if (flow.delayMs() >= 0) {
      return new BilledDelay(flow.delayMs(), flow.delaySource(), false);
    }
    if (flow.delayMs() >= NEGATIVE_TOLERATED_MS) {
      return new BilledDelay(0.0, flow.delaySource(), false);
    }
    return new BilledDelay(referenceMs, DelaySource.REFERENCE, true);
  }
}
