package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.OperatingPoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Another network for the flows of one application: the same bytes, but with other measurements. A
/// value that is null stays as it was measured.
///
/// @param isWithoutAggregation true if nothing is saved: as many bytes on the wire as before
/// @param delayMs one-way delay, milliseconds
/// @param loss lost share of packets, 0..1; the price counts [FlowMeasure#LOSS_MAX] of it at most,
///   as in a bill
/// @param throughputKbitPerSecond what the path offers to the application, kbit/s. Where the
///   measured point is priced, it is the throughput of each flow, which lasts as long as its bytes
///   need
public record WhatIf(
    boolean isWithoutAggregation,
    @Nullable Double delayMs,
    @Nullable Double loss,
    @Nullable Double throughputKbitPerSecond) {

  /// Returns what the flows of a report would have been measured as.
  ///
  /// @param report the flows, in the order of their ids
  /// @param chosen one of them; those of its application and class are changed
  /// @param intervalMs length of the interval, milliseconds
  public List<FlowMeasure> applyTo(List<FlowMeasure> report, FlowMeasure chosen, long intervalMs) {
    double carried = carriedKbitPerSecond(report, chosen, intervalMs);
    return report.stream()
        .map(flow -> flow.isPricedWith(chosen) ? applyTo(flow, carried) : flow)
        .toList();
  }

  /// Returns what the flows of one application carried together, kbit/s.
  public static double carriedKbitPerSecond(
      List<FlowMeasure> report, FlowMeasure chosen, long intervalMs) {
    List<FlowMeasure> application = report.stream().filter(chosen::isPricedWith).toList();
    return Placement.of(OperatingPoint.OFFERED, application, intervalMs).getFirst().served();
  }

  // Each flow is given the whole room. The flows share it, so it counts once.
  private FlowMeasure applyTo(FlowMeasure flow, double carried) {
    Double offered = throughputKbitPerSecond;
    return new FlowMeasure(
        flow.serviceClass(),
        flow.application(),
        flow.preBytes(),
        isWithoutAggregation ? flow.preBytes() : flow.postBytes(),
        loss == null ? flow.loss() : Math.min(FlowMeasure.LOSS_MAX, loss),
        offered == null
            ? flow.durationMs()
            : Math.max(1, Math.round(flow.preBytes() * 8.0 / offered)),
        delayMs == null ? flow.delayMs() : delayMs,
        delayMs == null ? flow.delayErrorMs() : null,
        delayMs == null ? flow.delaySource() : DelaySource.MEASURED,
        offered == null ? flow.demand() : new Demand(0.0, offered - carried, Demand.End.SNAPT),
        flow.call());
  }
}
