package io.viaduct.bridge.rest;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.Bridge;
import io.viaduct.bridge.BridgeConfiguration;
import jakarta.servlet.Filter;
import java.time.InstantSource;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.support.GenericApplicationContext;

/// The HTTP server of the bridge. Spring gets everything that it needs to know from the validated
/// configuration; no application key is read from its own property sources.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class RestInterface {
  /// Starts to serve.
  ///
  /// @return to be closed at the end
  public static ConfigurableApplicationContext start(
      BridgeConfiguration.Rest settings,
      Bridge bridge,
      InstantSource clock,
      MeterRegistry registry) {
    // Logging is set up already and Spring must not do it again; it reads this from nowhere else.
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
