package io.viaduct.bridge.snapts;

import io.grpc.ManagedChannel;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.bridge.cluster.BridgesService;
import io.viaduct.bridge.configuration.BridgeConfiguration;
import io.viaduct.bridge.credit.CreditRelay;
import io.viaduct.bridge.directory.SnaptClaims;
import io.viaduct.bridge.directory.SnaptDirectory;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.reporting.DevicePublications;
import io.viaduct.bridge.reporting.ReportMeters;
import io.viaduct.bridge.reporting.ReportStreams;
import io.viaduct.bridge.reporting.ReportTransport;
import io.viaduct.bridge.reporting.ReportVerifier;
import io.viaduct.bridge.revocation.IssuedRevocations;
import io.viaduct.bridge.token.TokenIssuer;
import io.viaduct.service.tls.ExchangeableTls;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/// Makes the server for SNAPTs.
@Configuration(proxyBeanMethods = false)
@Lazy(false)
class SnaptsParts {
  @Bean
  SnaptsService snaptsService(
      BridgeConfiguration configuration,
      SnaptDirectory directory,
      SnaptClaims claims,
      TokenIssuer tokens,
      IssuedRevocations revoked,
      ReportVerifier verifier,
      ReportTransport transport,
      ReportStreams streams,
      ReportMeters meters,
      CreditRelay credit,
      ManagedChannel billing,
      MeterRegistry registry,
      InstantSource clock) {
    return new SnaptsService(
        directory,
        claims,
        tokens,
        new SignedDirectories(tokens, clock),
        revoked::list,
        verifier,
        transport,
        streams,
        meters,
        configuration.reporting().unacknowledged(),
        credit,
        new CertificateRelay<>(
            billing,
            configuration.billing().deadline(),
            clock,
            registry,
            "viaduct_bridge_renewals",
            "Requests of SNAPTs for their next certificate, by outcome"),
        clock,
        registry);
  }

  @Bean
  SipService.Publications publications(
      BridgeConfiguration configuration,
      SnaptDirectory directory,
      ReportVerifier verifier,
      ReportTransport transport,
      ReportMeters meters,
      SipMeters sip,
      DevicePublications devices) {
    return new SnaptPublications(
        configuration.reporting().sip(),
        configuration.domain(),
        directory,
        verifier,
        transport,
        meters,
        sip,
        devices::onPublish);
  }

  @Bean
  JoiningService joiningService(
      BridgeConfiguration configuration,
      ManagedChannel billing,
      InstantSource clock,
      MeterRegistry registry) {
    return new JoiningService(billing, configuration.billing().deadline(), clock, registry);
  }

  @Bean
  SnaptsServer snaptsServer(
      BridgeConfiguration configuration,
      ExchangeableTls tls,
      SnaptDirectory directory,
      SnaptsService service,
      JoiningService joining,
      BridgesService bridges,
      MeterRegistry registry,
      InstantSource clock) {
    return new SnaptsServer(
        configuration.grpc(), tls, directory, service, joining, bridges, registry, clock);
  }
}
