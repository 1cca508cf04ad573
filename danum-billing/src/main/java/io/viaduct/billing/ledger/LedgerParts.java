package io.viaduct.billing.ledger;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.database.Snapshot;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/// Makes the ledger and its verification.
@Configuration(proxyBeanMethods = false)
class LedgerParts {
  @Bean
  Ledger ledger(JdbcTemplate batches) {
    return new Ledger(batches);
  }

  @Bean
  LedgerVerification verification(
      JdbcClient jdbc, Snapshot snapshot, List<LedgerVerification.Recomputation> others) {
    return new LedgerVerification(jdbc, snapshot, others);
  }

  @Bean
  LedgerMeters ledgerMeters(
      LedgerVerification verification, InstantSource clock, MeterRegistry registry) {
    return new LedgerMeters(verification, clock, registry);
  }

  @Bean
  VerificationRuns verificationRuns(
      JdbcClient jdbc,
      PlatformTransactionManager transactions,
      Snapshot snapshot,
      LedgerVerification verification,
      LedgerMeters meters,
      InstantSource clock) {
    return new VerificationRuns(jdbc, transactions, snapshot, verification, meters, clock);
  }
}
