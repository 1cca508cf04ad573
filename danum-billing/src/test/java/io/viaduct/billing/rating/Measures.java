package io.viaduct.billing.rating;

import io.viaduct.billing.tariff.ServiceClass;

/// Makes measurements of flows.
public final class Measures {
  private Measures() {}

  /// Returns a flow that was measured with its delay and has lost nothing.
  public static FlowMeasure flow(
      ServiceClass serviceClass, String application, long bytes, double delayMs, Demand demand) {
    return new FlowMeasure(
        serviceClass,
        application,
        bytes,
        bytes,
        0.0,
        60_000,
        delayMs,
        3.5,
        DelaySource.MEASURED,
        demand);
  }

  public static Demand demand(double busy, double spareKbitPerSecond) {
    return new Demand(busy, spareKbitPerSecond, Demand.End.SNAPT);
  }

  /// Returns the same flow with other byte counts.
  public static FlowMeasure carrying(FlowMeasure flow, long pre, long post) {
    return new FlowMeasure(
        flow.serviceClass(),
        flow.application(),
        pre,
        post,
        flow.loss(),
        flow.durationMs(),
        flow.delayMs(),
        flow.delayErrorMs(),
        flow.delaySource(),
        flow.demand());
  }

  /// Returns the same flow with another demand.
  public static FlowMeasure wanting(FlowMeasure flow, Demand demand) {
    return new FlowMeasure(
        flow.serviceClass(),
        flow.application(),
        flow.preBytes(),
        flow.postBytes(),
        flow.loss(),
        flow.durationMs(),
        flow.delayMs(),
        flow.delayErrorMs(),
        flow.delaySource(),
        demand);
  }
}
