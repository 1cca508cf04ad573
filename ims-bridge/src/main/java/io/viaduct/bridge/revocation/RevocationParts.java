package io.viaduct.bridge.revocation;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.registrar.Subscribers;
import java.io.IOException;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the list of revoked tokens.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class RevocationParts {
  @Bean
  IssuedRevocations revokedTokens(
      BridgeConfiguration configuration,
      Subscribers subscribers,
      InstantSource clock,
      MeterRegistry registry)
      throws IOException {
    return IssuedRevocations.open(
        configuration.state(), configuration.token().lifetime(), subscribers, clock, registry);
  }
}
