package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.Curve;
import io.viaduct.billing.tariff.Promise;
import io.viaduct.billing.tariff.Tariff;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/// A promise of a class that was broken for a flow, with the measurement that shows it.
///
/// @param promise the promise
/// @param promised the reference: milliseconds, or kbit/s
/// @param measured what was measured, in the same unit
public record BrokenPromise(Promise promise, double promised, double measured) {
  /// Share of the interval for which a flow must have had data waiting. A flow that seldom wants
  /// anything is slow by its own choice.
  public static final double BUSY_MIN = 0.5;

  /// Returns the broken promise for which the tariff gives most back; empty if no promise was
  /// broken for which it gives anything.
  static Optional<BrokenPromise> of(
      FlowMeasure flow, Placement placement, BilledDelay delay, Curve curve, Tariff tariff) {
    return Stream.of(delay(delay, curve), throughput(flow, placement, curve))
        .flatMap(Optional::stream)
        .filter(broken -> flow.preBytes() > 0 && tariff.refund(broken.promise()) > 0)
        .max(Comparator.comparingDouble(broken -> tariff.refund(broken.promise())));
  }

  // A delay that is only assumed breaks no promise.
  private static Optional<BrokenPromise> delay(BilledDelay delay, Curve curve) {
    boolean isBroken =
        delay.source() == DelaySource.MEASURED && delay.delayMs() > curve.referenceDelay();
    return isBroken
        ? Optional.of(new BrokenPromise(Promise.DELAY, curve.referenceDelay(), delay.delayMs()))
        : Optional.empty();
  }

  // A device that says that it was busy must not earn anything by that, so only the SNAPT's own
  // measurement counts.
  private static Optional<BrokenPromise> throughput(
      FlowMeasure flow, Placement placement, Curve curve) {
    Demand demand = flow.demand();
    boolean isBroken =
        demand.end() == Demand.End.SNAPT
            && demand.busy() != null
            && demand.busy() >= BUSY_MIN
            && placement.served() < curve.referenceThroughput();
    return isBroken
        ? Optional.of(
            new BrokenPromise(Promise.THROUGHPUT, curve.referenceThroughput(), placement.served()))
        : Optional.empty();
  }
}
