package io.viaduct.bridge.reporting;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.usage.TokenKeys;
import io.viaduct.usage.v1.MediationGrpc;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the parts that check usage reports and pass them to billing.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class ReportingParts {
  @Bean
  ReportMeters reportMeters(BridgeConfiguration configuration, MeterRegistry registry) {
    return new ReportMeters(
        registry, configuration.snapts().stream().map(BridgeConfiguration.Snapt::id).toList());
  }

  @Bean
  BillingReachability billingReachability(BridgeConfiguration configuration, InstantSource clock) {
    return new BillingReachability(
        configuration.billing().host() + ":" + configuration.billing().port(), clock);
  }

  @Bean
  ReportVerifier reportVerifier(BridgeConfiguration configuration, TokenIssuer tokens) {
    return new ReportVerifier(
        configuration.reporting().bytes(),
        () -> TokenKeys.of(tokens.publicKeys()),
        configuration.token().audience());
  }

  @Bean
  MediationForwarder mediationForwarder(
      BridgeConfiguration configuration,
      ManagedChannel billing,
      ReportMeters meters,
      BillingReachability reachability,
      TokenIssuer tokens,
      InstantSource clock) {
    return new MediationForwarder(
        configuration.billing(),
        MediationGrpc.newBlockingStub(billing),
        meters,
        reachability,
        tokens::publicKeys,
        clock);
  }

  @Bean
  MeterBinder billingMeters(
      BridgeConfiguration configuration,
      MediationForwarder forwarder,
      BillingReachability reachability) {
    return registry -> {
      Gauge.builder("viaduct_bridge_reports_queued", forwarder::queued)
          .description("Reports that wait for billing now")
          .register(registry);
      Gauge.builder("viaduct_bridge_reports_queued_max", configuration.billing()::queue)
          .description("Most reports that may wait for billing: billing.queue")
          .register(registry);
      Gauge.builder("viaduct_bridge_billing_reachable", () -> reachability.answers() ? 1 : 0)
          .description("1 while billing answers, else 0")
          .register(registry);
    };
  }
}
