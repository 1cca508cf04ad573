package io.viaduct.bridge.credit;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.provisioning.SubscriberFeed;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.CreditControlGrpc;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the relay of credit control.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class CreditParts {
  @Bean
  CreditRelay creditRelay(
      BridgeConfiguration configuration,
      SnaptDirectory directory,
      SnaptClaims claims,
      TokenIssuer tokens,
      ManagedChannel billing,
      Subscribers subscribers,
      SubscriberFeed feed,
      InstantSource clock,
      MeterRegistry registry) {
    CreditRelay relay =
        new CreditRelay(
            directory,
            claims,
            () -> TokenKeys.of(tokens.publicKeys()),
            configuration.token().audience(),
            CreditControlGrpc.newStub(billing),
            new RemovedDevices(subscribers, feed::isCurrent),
            clock,
            registry);
    subscribers.onChange(change -> {
      if (!change.lostDevices().isEmpty()) {
        relay.lostDevice(change.user());
      }
    });
    return relay;
  }
}
