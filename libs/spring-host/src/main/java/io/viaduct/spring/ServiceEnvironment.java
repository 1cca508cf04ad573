package io.viaduct.spring;

import java.util.Map;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.web.context.support.StandardServletEnvironment;

/// The settings of Spring, made from the service's validated configuration. No system property, no
/// environment variable and no `application.yml` changes them: such a key would be read without a
/// check.
final class ServiceEnvironment extends StandardServletEnvironment {
  ServiceEnvironment(Map<String, Object> settings) {
    getPropertySources().addLast(new MapPropertySource("service", settings));
  }

  @Override
  protected void customizePropertySources(MutablePropertySources sources) {
    // None of the usual sources.
  }
}
