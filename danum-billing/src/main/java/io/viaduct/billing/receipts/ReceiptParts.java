package io.viaduct.billing.receipts;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.LedgerVerification;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.provisioning.CredentialKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the receipts of statements and the roots of days.
@Configuration(proxyBeanMethods = false)
class ReceiptParts {
  private static final Duration SEAL = Duration.ofSeconds(1);
  private static final Duration PUBLISH = Duration.ofSeconds(10);

  @Bean
  StatementKey statementKey(CredentialKeys keys) {
    return new StatementKey(keys.derive("viaduct statement key"));
  }

  @Bean
  ReceiptSealer receiptSealer(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      StatementKey key,
      InstantSource clock) {
    return new ReceiptSealer(transaction, batches, key, clock);
  }

  @Bean
  DayRoots dayRoots(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      StatementKey key,
      InstantSource clock) {
    return new DayRoots(transaction, batches, key, clock);
  }

  @Bean
  StatementFiles statementFiles(
      JdbcClient jdbc, Snapshot snapshot, DayRoots roots, StatementKey key, InstantSource clock) {
    return new StatementFiles(jdbc, snapshot, roots, key, clock);
  }

  @Bean
  LedgerVerification.Recomputation receiptChains(JdbcClient jdbc) {
    return ReceiptVerification.checks(jdbc).getFirst();
  }

  @Bean
  LedgerVerification.Recomputation statementRoots(JdbcClient jdbc) {
    return ReceiptVerification.checks(jdbc).getLast();
  }

  @Bean
  Running<PeriodicTasks> receiptClock(
      ReceiptSealer sealer,
      DayRoots roots,
      BillingConfiguration configuration,
      MeterRegistry registry) {
    AtomicLong waiting = new AtomicLong();
    Gauge.builder("viaduct_receipts_waiting", waiting, AtomicLong::get)
        .description("Movements of balances that have no receipt yet; at most 100000 are counted")
        .register(registry);
    String directory = configuration.statements().rootsDirectory();
    List<RootFiles> files =
        directory.isEmpty() ? List.of() : List.of(new RootFiles(Path.of(directory), roots));
    AtomicLong ahead = new AtomicLong();
    Gauge.builder("viaduct_roots_ahead", ahead, AtomicLong::get)
        .description("1 if the directory of roots has a later one than the database, otherwise 0")
        .register(registry);
    return new Running<>(
        Stage.SETTLEMENT,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("receipts");
          tasks.atOnceAndEvery(
              SEAL,
              "sealing of receipts",
              () -> {
                if (files.stream().noneMatch(RootFiles::isAhead)) {
                  sealer.seal();
                }
                waiting.set(sealer.waiting());
              });
          tasks.atOnceAndEvery(
              PUBLISH,
              "publication of roots",
              () -> {
                files.forEach(RootFiles::compare);
                boolean isAhead = files.stream().anyMatch(RootFiles::isAhead);
                ahead.set(isAhead ? 1 : 0);
                if (!isAhead) {
                  roots.publishDue();
                  files.forEach(RootFiles::write);
                }
              });
          return tasks;
        });
  }
}
