package io.viaduct.billing.snapts;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the list of SNAPTs.
@Configuration(proxyBeanMethods = false)
class SnaptsParts {
  @Bean
  Snapts snapts(JdbcClient jdbc, TransactionTemplate transaction) {
    return new Snapts(jdbc, transaction);
  }

  @Bean
  Invitations invitations(JdbcClient jdbc, TransactionTemplate transaction, Snapts snapts) {
    return new Invitations(jdbc, transaction, snapts);
  }

  @Bean
  LineRates lineRates(JdbcClient jdbc) {
    return new LineRates(jdbc);
  }

  @Bean
  SnaptsImport snaptsImport(Snapts snapts, InstantSource clock) {
    return new SnaptsImport(snapts, clock);
  }

  @Bean
  Running<AutoCloseable> snaptsEnrolled(SnaptsImport imports, BillingConfiguration configuration) {
    return new Running<>(
        Stage.USERS,
        () -> {
          imports.importFrom(configuration);
          return () -> {};
        });
  }
}
