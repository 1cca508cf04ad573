package io.viaduct.spring.operations;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.viaduct.service.operations.BuildInfo;
import io.viaduct.service.operations.HoldingRegistry;
import io.viaduct.service.operations.Readiness;
import java.time.InstantSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExportAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.security.web.DefaultSecurityFilterChain;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.context.support.WebApplicationContextUtils;

/// The parts that Actuator shows to operators: meters, and the reasons why the service is not
/// ready.
@AutoConfiguration(
    after = MetricsAutoConfiguration.class,
    before = PrometheusMetricsExportAutoConfiguration.class)
@ConditionalOnBean(ServiceIdentity.class)
public class OperationsAutoConfiguration {
  @Bean
  HoldingRegistry meters(PrometheusConfig config, PrometheusRegistry registry, Clock clock) {
    return new HoldingRegistry(config, registry, clock);
  }

  @Bean
  MeterBinder buildInfo(ServiceIdentity service) {
    return registry -> BuildInfo.bind(registry, service.name(), service.main());
  }

  /// Returns a readiness without parts, for a service that is ready as soon as it listens.
  @Bean
  @ConditionalOnMissingBean
  Readiness readiness() {
    return new Readiness();
  }

  @Bean
  HealthIndicator partsHealthIndicator(Readiness readiness) {
    return new PartsHealth(readiness);
  }

  @Bean
  @ConditionalOnMissingBean
  InstantSource clock() {
    return InstantSource.system();
  }

  /// Opens the operations port to all, without a filter: it has no authentication, as its
  /// configuration key says.
  @Bean
  @Order(Ordered.HIGHEST_PRECEDENCE)
  SecurityFilterChain operations() {
    return new DefaultSecurityFilterChain(request ->
        WebServerApplicationContext.hasServerNamespace(
            WebApplicationContextUtils.getWebApplicationContext(request.getServletContext()),
            "management"));
  }
}
