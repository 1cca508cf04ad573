package io.viaduct.bridge.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.Bridge;
import io.viaduct.bridge.BridgeConfiguration;
import io.viaduct.service.operations.Listening;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;

/// The HTTP server of the bridge. Spring takes all its settings from the validated configuration
/// and none from property sources of its own.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class RestInterface {
  /// Starts the server.
  ///
  /// @return the running server; closing it stops the server
  /// @throws IOException if the address cannot be bound
  public static ConfigurableApplicationContext start(
      BridgeConfiguration.Rest settings, Bridge bridge, InstantSource clock, MeterRegistry registry)
      throws IOException {
    return Listening.on(
        "rest.host",
        "rest.port",
        "TCP",
        settings.host(),
        settings.port(),
        () -> run(settings, bridge, clock, registry));
  }

  private static ConfigurableApplicationContext run(
      BridgeConfiguration.Rest settings,
      Bridge bridge,
      InstantSource clock,
      MeterRegistry registry) {
    // Logging is already configured, and Spring must not configure it again. Spring reads this
    // setting only from a system property.
    System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
    return new SpringApplicationBuilder(RestInterface.class)
        .bannerMode(org.springframework.boot.Banner.Mode.OFF)
        .registerShutdownHook(false)
        .logStartupInfo(false)
        .properties(
            Map.of(
                "server.address", settings.host(),
                "server.port", Integer.toString(settings.port()),
                "server.shutdown", "graceful",
                "spring.mvc.problemdetails.enabled", "true",
                "spring.main.lazy-initialization", "true",
                "spring.threads.virtual.enabled", "true"))
        .initializers((GenericApplicationContext context) -> {
          context.registerBean(BridgeConfiguration.Rest.class, () -> settings);
          context.registerBean(Bridge.class, () -> bridge);
          context.registerBean(InstantSource.class, () -> clock);
          context.registerBean("viaductMeters", MeterRegistry.class, () -> registry);
        })
        .run();
  }

  @Bean
  BridgeController bridgeController(Bridge bridge, InstantSource clock) {
    return new BridgeController(
        bridge.directory(), bridge.claims(), bridge.locations(), bridge.reportMeters(), clock);
  }

  @Bean
  ErrorPath errorPath() {
    return new ErrorPath();
  }

  @Bean
  FilterRegistrationBean<AnswerHeaders> answerHeaders() {
    return everywhere(1, new AnswerHeaders());
  }

  @Bean
  FilterRegistrationBean<BearerFilter> bearerFilter(
      BridgeConfiguration.Rest settings, MeterRegistry registry) {
    return everywhere(
        2,
        new BearerFilter(
            settings.tokenFile().reveal(),
            Counter.builder("viaduct.bridge.rest.refused")
                    .description("REST requests without the right bearer token")
                    .register(registry)
                ::increment));
  }

  @Bean
  FilterRegistrationBean<QueryFilter> queryFilter() {
    return everywhere(3, new QueryFilter());
  }

  private static <F extends Filter> FilterRegistrationBean<F> everywhere(int order, F filter) {
    FilterRegistrationBean<F> registration = new FilterRegistrationBean<>(filter);
    registration.addUrlPatterns("/*");
    registration.setOrder(order);
    return registration;
  }
}
