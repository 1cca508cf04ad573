package io.viaduct.bridge.core;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.CoreSettings;
import io.viaduct.bridge.configuration.CoreSettings.Peer;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the trust domain of the configuration.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class CoreParts {
  @Bean
  TrustDomain trustDomain(BridgeConfiguration configuration, MeterRegistry registry) {
    CoreSettings core = configuration.core();
    return new TrustDomain(
        configuration.domain(),
        core.peers().stream().map(Peer::flow).toList(),
        Set.copyOf(core.tlsNames()),
        core.identity().isEmpty() ? "sip:snapt@" + configuration.domain() : core.identity(),
        registry);
  }
}
