package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.mobility.CarrierLog;
import io.viaduct.cnapt.mobility.Handover;
import io.viaduct.cnapt.mobility.HandoverLog;
import io.viaduct.cnapt.operations.MetersOf.Label;
import io.viaduct.service.operations.MetricLabel;
import io.viaduct.tunnel.path.Carrier;
import java.time.Duration;
import java.util.stream.IntStream;

/// The meters of hand-overs, and of changes of the carrier between UDP and the control connection.
public record MobilityMeters(HandoverLog handovers, CarrierLog carriers) implements MeterBinder {
  private static final Duration[] DURATIONS =
      IntStream.of(10, 20, 30, 60, 100, 200, 300, 500, 1000, 2000, 5000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  @Override
  public void bindTo(MeterRegistry registry) {
    new MetersOf<>(registry, handovers)
        .total("viaduct_handovers", "Moves of traffic", HandoverLog::count);
    Handover.CAUSES.forEach(cause -> durations(registry, cause));
    handovers.timed((cause, lasted) -> durations(registry, cause).record(lasted));
    new MetersOf<>(registry, carriers)
        .totals(
            "viaduct_carrier_changes",
            "Changes of the carrier of datagrams",
            Label.of("to", Carrier.values(), MetricLabel::of),
            CarrierLog::count);
  }

  private static Timer durations(MeterRegistry registry, String cause) {
    return Timer.builder("viaduct_handover_duration")
        .description("Time from a move of traffic to the SNAPT's answer; 0 if both paths work")
        .tag("cause", cause)
        .serviceLevelObjectives(DURATIONS)
        .register(registry);
  }
}
