package io.viaduct.spring;

import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/// The address of the service's HTTP interface. The operations endpoint may have the same port on
/// another address, so Spring's property `server.port` stays free: Spring takes equal values of the
/// two properties for one server.
///
/// @param mapping configuration keys `host` and `port` are below this key
record HttpListener(String mapping, String host, int port)
    implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {
  @Override
  public void customize(ConfigurableWebServerFactory server) {
    server.setPort(port);
  }

  /// After Spring's own customizers.
  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }
}
