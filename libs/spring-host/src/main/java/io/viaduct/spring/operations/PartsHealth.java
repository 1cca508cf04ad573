package io.viaduct.spring.operations;

import io.viaduct.service.operations.Readiness;
import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/// Shows each part of the service that is not ready, with its reason, at `/readyz`.
final class PartsHealth implements HealthIndicator {
  private final Readiness readiness;

  PartsHealth(Readiness readiness) {
    this.readiness = readiness;
  }

  @Override
  public Health health() {
    Map<String, String> obstacles = readiness.obstacles();
    Health.Builder health = obstacles.isEmpty() ? Health.up() : Health.outOfService();
    return health.withDetails(obstacles).build();
  }
}
