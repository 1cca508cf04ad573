package io.viaduct.bridge.directory;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.replication.Replicas;
import java.net.InetAddress;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the directory of SNAPTs.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class DirectoryParts {
  @Bean
  SnaptDirectory snaptDirectory(
      BridgeConfiguration configuration, Replicas replicas, InstantSource clock) {
    return new SnaptDirectory(
        configuration.snapts(), configuration.directory().staleAfter(), replicas, clock);
  }

  @Bean
  SnaptClaims snaptClaims(SnaptDirectory directory, InstantSource clock) {
    return new SnaptClaims(directory, clock);
  }

  @Bean
  SnaptMeters snaptMeters(SnaptDirectory directory, SnaptClaims claims, MeterRegistry registry) {
    return new SnaptMeters(directory, claims, registry);
  }

  @Bean
  RelayAddresses relayAddresses(InstantSource clock) {
    return new RelayAddresses(InetAddress::getAllByName, clock);
  }
}
