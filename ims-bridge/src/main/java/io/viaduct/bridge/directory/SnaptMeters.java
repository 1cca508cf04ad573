package io.viaduct.bridge.directory;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.service.operations.MetricLabel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Shows the SNAPTs of the configuration by state, and the processes that announced an id of
/// another.
public final class SnaptMeters {
  private final SnaptClaims claims;
  private final MeterRegistry registry;
  private final Set<String> counted = ConcurrentHashMap.newKeySet();

  SnaptMeters(SnaptDirectory directory, SnaptClaims claims, MeterRegistry registry) {
    this.claims = claims;
    this.registry = registry;
    directory.all().forEach(snapt -> count(snapt.configured().id()));
    for (SnaptEntry.State state : SnaptEntry.State.values()) {
      Gauge.builder("viaduct_bridge_snapts", directory, all -> all.count(state))
          .description("SNAPTs of the configuration by state; unknown: not heard since the start")
          .tag("state", MetricLabel.of(state))
          .register(registry);
    }
  }

  /// Starts to count the duplicates of a SNAPT; does nothing if they are counted already.
  public void count(String snapt) {
    if (!counted.add(snapt)) {
      return;
    }
    FunctionCounter.builder(
            "viaduct_bridge_snapt_duplicates", claims, c -> c.duplicates(snapt).refused())
        .description("Processes that announced an id that another process holds")
        .tag("snapt", snapt)
        .register(registry);
  }
}
