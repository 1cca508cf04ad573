package io.viaduct.bridge.reporting;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.configuration.Snapt;
import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.service.operations.Readiness;
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
    return new ReportMeters(registry, configuration.snapts().stream().map(Snapt::id).toList());
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
  DevicePublications devicePublications(
      BridgeConfiguration configuration,
      Authentication authentication,
      ManagedChannel billing,
      TokenIssuer tokens,
      SipMeters meters,
      InstantSource clock) {
    return new DevicePublications(
        configuration.domain(),
        authentication,
        MediationGrpc.newBlockingStub(billing),
        configuration.billing().deadline(),
        tokens::publicKeys,
        meters,
        clock);
  }

  @Bean
  BillingProbe billingProbe(
      BridgeConfiguration configuration,
      ManagedChannel billing,
      ReportMeters meters,
      BillingReachability reachability,
      InstantSource clock) {
    return new BillingProbe(
        MediationGrpc.newBlockingStub(billing),
        configuration.billing().deadline(),
        meters,
        reachability,
        clock);
  }

  @Bean
  QueueMeters queueMeters(MeterRegistry registry) {
    return new QueueMeters(registry);
  }

  @Bean
  ReportStreams reportStreams(QueueMeters meters) {
    return new ReportStreams(meters);
  }

  @Bean
  ReportTransport reportTransport(
      BridgeConfiguration configuration,
      ManagedChannel billing,
      ReportMeters meters,
      BillingReachability reachability,
      QueueMeters queueMeters,
      ReportStreams streams,
      Readiness readiness,
      TokenIssuer tokens,
      InstantSource clock) {
    return switch (configuration.reports().transport()) {
      case GRPC ->
          new MediationForwarder(
              configuration.billing(),
              MediationGrpc.newBlockingStub(billing),
              meters,
              reachability,
              tokens::publicKeys,
              clock);
      case KAFKA ->
          new QueueForwarder(
              configuration.kafka(),
              configuration.kafka().broker().properties(configuration.tls()),
              streams,
              queueMeters,
              readiness,
              tokens::publicKeys,
              clock);
    };
  }

  @Bean
  MeterBinder billingMeters(ReportTransport transport, BillingReachability reachability) {
    return registry -> {
      Gauge.builder("viaduct_bridge_reports_queued", transport::queued)
          .description("Reports that wait for billing, or for the broker, now")
          .register(registry);
      Gauge.builder("viaduct_bridge_reports_queued_max", transport::queuedMax)
          .description("Most reports that may wait: billing.queue, or kafka.in-flight")
          .register(registry);
      Gauge.builder("viaduct_bridge_billing_reachable", () -> reachability.answers() ? 1 : 0)
          .description("1 while billing answers, else 0")
          .register(registry);
    };
  }
}
