package io.viaduct.billing.retention;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.database.OpeningDatabase;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/// Makes retention and erasure, which work as the role that owns the tables.
@Configuration(proxyBeanMethods = false)
class RetentionParts {
  private static final Duration PERIOD = Duration.ofHours(1);

  @Bean
  Running<PeriodicTasks> retentionClock(
      OpeningDatabase database,
      BillingConfiguration configuration,
      InstantSource clock,
      MeterRegistry registry) {
    return new Running<>(
        Stage.SETTLEMENT,
        () -> {
          Retention retention =
              new Retention(
                  database.owner(),
                  configuration.retention(),
                  configuration.adjustmentTime(),
                  clock,
                  registry);
          PeriodicTasks tasks = new PeriodicTasks("retention");
          tasks.atOnceAndEvery(PERIOD, "retention", retention::run);
          return tasks;
        });
  }

  @Bean
  Erasure erasure(OpeningDatabase database) {
    return new Erasure(database::owner);
  }
}
