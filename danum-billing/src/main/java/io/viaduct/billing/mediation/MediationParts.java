package io.viaduct.billing.mediation;

import io.grpc.BindableService;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.settlement.DeviceReports;
import io.viaduct.billing.settlement.HeldReports;
import io.viaduct.billing.settlement.ReportPosting;
import io.viaduct.billing.snapts.LineRates;
import io.viaduct.service.operations.Listening;
import io.viaduct.service.operations.Readiness;
import io.viaduct.service.tls.ExchangeableTls;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Makes the entrance of the bridges, and the checks of their reports.
@Configuration(proxyBeanMethods = false)
class MediationParts {
  @Bean
  RefusedReports refusedReports(JdbcTemplate batches) {
    return new RefusedReports(batches);
  }

  @Bean
  SeenTokenKeys tokenKeys(JdbcClient jdbc) {
    return new SeenTokenKeys(jdbc);
  }

  @Bean
  ProofRules proofs(LineRates lineRates, BillingConfiguration configuration) {
    return new ProofRules(lineRates::now, configuration.tokenAudience());
  }

  @Bean
  HeldReportRelease release(
      HeldReports held,
      SeenTokenKeys tokenKeys,
      ProofRules proofs,
      ReportPosting posting,
      ChargeListener listener) {
    return new HeldReportRelease(held, tokenKeys, proofs, posting, listener);
  }

  @Bean
  ReportIntake reportIntake(
      ReportPosting posting,
      SeenTokenKeys tokenKeys,
      ProofRules proofs,
      RefusedReports refused,
      ChargeListener listener,
      InstantSource clock,
      MeterRegistry registry) {
    return new ReportIntake(posting, tokenKeys, proofs, refused, listener, clock, registry);
  }

  @Bean
  DeviceReportIntake deviceReportIntake(
      DeviceReports reports,
      SeenTokenKeys tokenKeys,
      ProofRules proofs,
      InstantSource clock,
      MeterRegistry registry) {
    return new DeviceReportIntake(reports, tokenKeys, proofs, clock, registry);
  }

  @Bean
  BridgeClocks bridgeClocks(InstantSource clock, MeterRegistry registry) {
    return new BridgeClocks(clock, registry);
  }

  @Bean
  MediationService mediation(ReportIntake intake, DeviceReportIntake devices, BridgeClocks clocks) {
    return new MediationService(intake, devices, clocks);
  }

  @Bean
  Running<MediationEndpoint> mediationEndpoint(
      BillingConfiguration configuration,
      ExchangeableTls tls,
      List<BindableService> services,
      Readiness readiness,
      MeterRegistry registry) {
    BillingConfiguration.Grpc grpc = configuration.grpc();
    return new Running<>(
        Stage.MEDIATION,
        () -> {
          MediationEndpoint endpoint =
              Listening.on(
                  "grpc.host",
                  "grpc.port",
                  "TCP",
                  grpc.host(),
                  grpc.port(),
                  () ->
                      MediationEndpoint.start(
                          new InetSocketAddress(grpc.host(), grpc.port()),
                          tls,
                          grpc.peers(),
                          services,
                          registry));
          readiness.cleared("mediation");
          return endpoint;
        });
  }
}
