package io.viaduct.cnapt.operations;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.cnapt.hook.RoutingHook;

/// The meters of the readers of the routing hook.
public record HookMeters(RoutingHook hook) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    MetersOf<RoutingHook> meters = new MetersOf<>(registry, hook);
    meters.gauge("viaduct_hook_readers", null, "Readers of the routing hook", RoutingHook::readers);
    meters.total(
        "viaduct_hook_readers_slow",
        "Readers of the routing hook that were cut because they were too slow",
        RoutingHook::slow);
    meters.total(
        "viaduct_hook_readers_refused",
        "Readers of the routing hook that were refused because there were enough",
        RoutingHook::refused);
  }
}
