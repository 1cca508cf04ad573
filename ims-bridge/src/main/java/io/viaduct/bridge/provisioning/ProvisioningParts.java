package io.viaduct.bridge.provisioning;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.directory.SnaptMeters;
import io.viaduct.bridge.registrar.AccountFacts;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.bridge.revocation.IssuedRevocations;
import io.viaduct.usage.v1.ProvisioningGrpc;
import java.io.IOException;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the parts that learn users and devices from billing.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class ProvisioningParts {
  @Bean
  SubscriberFeed subscriberFeed(
      ManagedChannel billing,
      Subscribers subscribers,
      IssuedRevocations revoked,
      BridgeConfiguration configuration,
      MeterRegistry registry)
      throws IOException {
    return SubscriberFeed.start(
        billing, subscribers, revoked, configuration.state(), configuration.domain(), registry);
  }

  @Bean
  SnaptFeed snaptFeed(
      ManagedChannel billing,
      SnaptDirectory directory,
      BridgeConfiguration configuration,
      ReportMeters reports,
      SnaptMeters snapts,
      MeterRegistry registry)
      throws IOException {
    return SnaptFeed.start(
        billing,
        directory,
        configuration.snapts(),
        id -> {
          reports.count(id);
          snapts.count(id);
        },
        configuration.state(),
        registry);
  }

  @Bean
  AccountFacts.Source accountFacts(ManagedChannel billing) {
    return new BillingAccounts(ProvisioningGrpc.newFutureStub(billing));
  }

  @Bean
  BillingDevices billingDevices(
      ManagedChannel billing,
      Subscribers subscribers,
      InstantSource clock,
      MeterRegistry registry) {
    return new BillingDevices(
        ProvisioningGrpc.newBlockingStub(billing),
        subscribers,
        new DeviceSightings(ProvisioningGrpc.newFutureStub(billing), clock),
        registry);
  }
}
