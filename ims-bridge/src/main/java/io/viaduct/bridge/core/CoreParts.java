package io.viaduct.bridge.core;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.BridgeConfiguration.CorePeer;
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
    BridgeConfiguration.Core core = configuration.core();
    return new TrustDomain(
        configuration.domain(),
        core.peers().stream().map(CorePeer::flow).toList(),
        Set.copyOf(core.tlsNames()),
        core.identity().isEmpty() ? "sip:snapt@" + configuration.domain() : core.identity(),
        registry);
  }
}
