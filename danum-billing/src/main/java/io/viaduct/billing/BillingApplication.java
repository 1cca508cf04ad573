package io.viaduct.billing;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.database.OpeningDatabase;
import io.viaduct.billing.diameter.DiameterEndpoint;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.mediation.MediationEndpoint;
import io.viaduct.billing.radius.RadiusEndpoint;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.CertificateMeters;
import io.viaduct.service.tls.ExchangeableTls;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.spring.SpringService;
import java.time.InstantSource;
import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.logging.logback.LogbackMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.ssl.SslMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.startup.StartupTimeMetricsListenerAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.task.TaskExecutorMetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.MultipartAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.metrics.TomcatMetricsAutoConfiguration;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.boot.webmvc.autoconfigure.WebMvcObservationAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.core.ParameterizedTypeReference;

/// Billing as a Spring Boot application. Each package makes its own parts in a class named
/// `…Parts`; this class makes the parts that belong to no package. [Stage] is the order in which
/// they start and stop.
@SpringBootApplication(
    proxyBeanMethods = false,
    exclude = { // parts that billing does not use, which would take time and memory at the start
      AopAutoConfiguration.class,
      LogbackMetricsAutoConfiguration.class,
      MultipartAutoConfiguration.class,
      ScheduledTasksObservationAutoConfiguration.class,
      SslMetricsAutoConfiguration.class,
      StartupTimeMetricsListenerAutoConfiguration.class,
      TaskExecutorMetricsAutoConfiguration.class,
      TaskSchedulingAutoConfiguration.class,
      TomcatMetricsAutoConfiguration.class,
      ValidationAutoConfiguration.class,
      WebMvcObservationAutoConfiguration.class
    })
@ComponentScan(resourcePattern = "**/*Parts.class") // reads no other class at the start
public class BillingApplication {
  /// Returns billing, not yet started.
  ///
  /// @param clock the only clock that billing's decisions use
  public static SpringService of(BillingConfiguration configuration, InstantSource clock) {
    return SpringService.of(
            "danum-billing",
            BillingApplication.class,
            configuration,
            "rest",
            configuration.rest().host(),
            configuration.rest().port(),
            configuration.operations())
        .with(InstantSource.class, clock)
        .first(OpeningDatabase.class, () -> OpeningDatabase.begin(configuration.database()))
        .with(
            Map.ofEntries(
                Map.entry("spring.web.resources.add-mappings", false),
                Map.entry("spring.mvc.log-resolved-exception", false),
                Map.entry("server.tomcat.max-http-response-header-size", "16KB"),
                Map.entry("server.tomcat.max-connections", 4096),
                // A caller who pauses for longer within a request loses the connection.
                Map.entry("server.tomcat.connection-timeout", "5s"),
                Map.entry("server.tomcat.keep-alive-timeout", "60s"),
                Map.entry("springdoc.api-docs.enabled", true),
                Map.entry("springdoc.paths-to-match", "/api/**"),
                Map.entry("springdoc.api-docs.version", "openapi_3_1"),
                Map.entry("springdoc.writer-with-order-by-keys", true),
                Map.entry("springdoc.override-with-generic-response", false),
                Map.entry("springdoc.default-produces-media-type", "application/json")));
  }

  /// Returns the port on which a started billing listens for bridges.
  public static int grpcPort(ApplicationContext billing) {
    return billing
        .getBeanProvider(new ParameterizedTypeReference<Running<MediationEndpoint>>() {})
        .getObject()
        .get()
        .port();
  }

  /// Returns the port on which a started billing listens for Diameter peers, or 0.
  public static int diameterPort(ApplicationContext billing) {
    return billing
        .getBeanProvider(new ParameterizedTypeReference<Running<DiameterEndpoint>>() {})
        .getObject()
        .get()
        .port();
  }

  /// Returns the UDP port on which a started billing listens for access networks, or 0.
  public static int radiusPort(ApplicationContext billing) {
    return billing
        .getBeanProvider(new ParameterizedTypeReference<Running<RadiusEndpoint>>() {})
        .getObject()
        .get()
        .port();
  }

  @Bean
  ExchangeableTls tls(BillingConfiguration configuration) {
    return new ExchangeableTls(TlsMaterial.load(configuration.tls()));
  }

  @Bean
  MeterBinder certificates(ExchangeableTls tls) {
    return registry -> CertificateMeters.bind(registry, tls);
  }

  @Bean
  Readiness readiness() {
    return new Readiness("database", "rest", "mediation");
  }

  @Bean
  ApplicationListener<WebServerInitializedEvent> restReady(Readiness readiness) {
    return event -> {
      if (!WebServerApplicationContext.hasServerNamespace(
          event.getApplicationContext(), "management")) {
        readiness.cleared("rest");
      }
    };
  }

  @Bean
  Running<AutoCloseable> stopping(Readiness readiness) {
    return Running.atStop(
        Stage.READINESS, () -> readiness.obstructed("stopping", "the process was asked to end"));
  }
}
