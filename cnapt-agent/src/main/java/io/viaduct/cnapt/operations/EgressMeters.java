package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.mobility.StrayRoutes;
import io.viaduct.cnapt.naming.PortalNames;
import io.viaduct.cnapt.operations.MetersOf.Label;

/// The meters of the traffic beside the tunnel.
///
/// @param strays routes that would lead past the tunnel
/// @param portal queries for the name of a captive portal
public record EgressMeters(StrayRoutes strays, PortalNames portal) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    new MetersOf<>(registry, strays)
        .total(
            "viaduct_stray_routes",
            "Routes that would lead past the tunnel, and were not followed",
            StrayRoutes::seen);
    new MetersOf<>(registry, portal)
        .totals(
            "viaduct_portal_queries",
            "DNS queries of applications while a captive portal was open",
            Label.of("outcome", PortalNames.Outcome.values(), PortalNames.Outcome::label),
            PortalNames::of);
  }
}
