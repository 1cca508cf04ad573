package io.viaduct.spring.operations;

import io.viaduct.service.operations.OperationsSettings;
import java.util.Map;

/// Translates the configuration keys `operations` to the properties of Actuator: `/livez`,
/// `/readyz` and `/metrics` on a port of their own.
public final class ActuatorSettings {
  private static final String HEALTH = "management.endpoint.health.";

  private ActuatorSettings() {}

  /// Returns the properties.
  public static Map<String, Object> of(OperationsSettings operations) {
    return Map.ofEntries(
        Map.entry("management.server.address", operations.host()),
        Map.entry("management.server.port", operations.port()),
        Map.entry("management.endpoints.web.base-path", "/"),
        Map.entry("management.endpoints.web.discovery.enabled", false),
        Map.entry("management.endpoints.web.exposure.include", "health,prometheus"),
        Map.entry("management.endpoints.web.path-mapping.prometheus", "metrics"),
        Map.entry("management.health.defaults.enabled", false),
        Map.entry(HEALTH + "probes.enabled", true),
        Map.entry(HEALTH + "group.liveness.include", "livenessState"),
        Map.entry(HEALTH + "group.liveness.additional-path", "management:/livez"),
        Map.entry(HEALTH + "group.readiness.include", "readinessState,parts"),
        Map.entry(HEALTH + "group.readiness.show-details", "always"),
        Map.entry(HEALTH + "group.readiness.additional-path", "management:/readyz"),
        // The global registry would keep the meters of a context that was closed.
        Map.entry("management.metrics.use-global-registry", false));
  }
}
