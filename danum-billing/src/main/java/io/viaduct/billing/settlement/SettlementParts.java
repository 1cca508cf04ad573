package io.viaduct.billing.settlement;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.database.Snapshot;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.ledger.LedgerMeters;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.ledger.VerificationRuns;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.service.operations.Readiness;
import java.time.InstantSource;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the posting of reports, their settlement, and the lists for the operator's decisions.
@Configuration(proxyBeanMethods = false)
class SettlementParts {
  @Bean
  ReportPosting posting(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Ledger ledger,
      BillingConfiguration configuration) {
    return new ReportPosting(
        transaction, batches, tariffs, surcharges, ledger, rules(configuration));
  }

  @Bean
  DeviceReports deviceReports(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      TariffBook tariffs,
      SurchargeBook surcharges,
      BillingConfiguration configuration) {
    return new DeviceReports(
        transaction,
        jdbc,
        tariffs,
        surcharges,
        configuration::ownerOf,
        configuration.adjustmentTime());
  }

  @Bean
  DeviceCharges deviceCharges(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Ledger ledger,
      BillingConfiguration configuration) {
    return new DeviceCharges(
        transaction,
        batches,
        tariffs,
        surcharges,
        ledger,
        rules(configuration),
        new DeviceCharges.Rules(
            configuration.deviceReports().chargeAfter(),
            MicroDenarii.ofDenarii(configuration.deviceReports().boundPerAccount()),
            configuration.adjustmentTime()));
  }

  private static SettlementRules rules(BillingConfiguration configuration) {
    return new SettlementRules(
        configuration.graceTime(),
        configuration.adjustmentTime(),
        configuration::ownerOf,
        new SettlementRules.Bounds(
            MicroDenarii.ofDenarii(configuration.chargeBound()),
            MicroDenarii.ofDenarii(configuration.unsigned().boundPerAccount()),
            configuration.heldReports()));
  }

  @Bean
  SequenceGaps gaps(JdbcClient jdbc) {
    return new SequenceGaps(jdbc);
  }

  @Bean
  ChargedReports chargedReports(JdbcClient jdbc) {
    return new ChargedReports(jdbc);
  }

  @Bean
  TariffTrial trial(JdbcClient jdbc, TariffBook tariffs, SurchargeBook surcharges) {
    return new TariffTrial(jdbc, tariffs, surcharges, System::nanoTime, TariffTrial.BOUNDS);
  }

  @Bean
  TrialRuns trialRuns(
      JdbcClient jdbc,
      PlatformTransactionManager transactions,
      Snapshot snapshot,
      TariffTrial trial,
      InstantSource clock) {
    return new TrialRuns(jdbc, transactions, snapshot, trial, clock);
  }

  @Bean
  HeldReports held(JdbcClient jdbc) {
    return new HeldReports(jdbc);
  }

  @Bean
  Discrepancies discrepancies(TransactionTemplate transaction, JdbcClient jdbc) {
    return new Discrepancies(transaction, jdbc);
  }

  @Bean
  DeviceReportList deviceReportList(JdbcClient jdbc) {
    return new DeviceReportList(jdbc);
  }

  @Bean
  UnsignedIntervals unsigned(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      Ledger ledger,
      BillingConfiguration configuration) {
    return new UnsignedIntervals(transaction, jdbc, ledger, configuration.unsigned().decideAfter());
  }

  @Bean
  Settlement settlement(
      TransactionTemplate transaction, JdbcClient jdbc, TariffBook tariffs, Ledger ledger) {
    return new Settlement(transaction, jdbc, tariffs, ledger);
  }

  @Bean
  RelayRewards relayRewards(
      TransactionTemplate transaction, JdbcClient jdbc, TariffBook tariffs, Ledger ledger) {
    return new RelayRewards(transaction, jdbc, tariffs, ledger);
  }

  @Bean
  CapCredits capCredits(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      TariffBook tariffs,
      Ledger ledger,
      BillingConfiguration configuration) {
    return new CapCredits(transaction, jdbc, tariffs, ledger, configuration.adjustmentTime());
  }

  @Bean
  CapCreditList capCreditList(JdbcClient jdbc) {
    return new CapCreditList(jdbc);
  }

  @Bean
  UndecidedGauges undecided(
      HeldReports held,
      UnsignedIntervals unsigned,
      Discrepancies discrepancies,
      InstantSource clock,
      MeterRegistry registry) {
    return new UndecidedGauges(held, unsigned, discrepancies, clock, registry);
  }

  @Bean
  Running<SettlementClock> settlementClock(
      Settlement settlement,
      CapCredits caps,
      RelayRewards relays,
      DeviceCharges devices,
      JdbcClient jdbc,
      ChargeListener listener,
      Readiness readiness,
      LedgerMeters ledger,
      VerificationRuns runs,
      UndecidedGauges undecided,
      BillingConfiguration configuration,
      InstantSource clock,
      MeterRegistry registry) {
    return new Running<>(
        Stage.SETTLEMENT,
        () -> {
          SettlementClock tasks =
              new SettlementClock(settlement, jdbc, listener, database(readiness), clock, registry);
          tasks.start(configuration.settlementPeriod());
          tasks.every(configuration.verificationPeriod(), ledger::refresh);
          tasks.atOnceAndEvery(configuration.ledgerVerificationPeriod(), runs::runByItself);
          tasks.every(configuration.verificationPeriod(), undecided::read);
          tasks.every(
              configuration.settlementPeriod(),
              () -> devices.work(clock.instant()).forEach(listener::changed));
          tasks.every(
              configuration.settlementPeriod(),
              () ->
                  relays
                      .payDue(clock.instant())
                      .forEach(account -> listener.changed(account, List.of())));
          tasks.every(
              configuration.settlementPeriod(),
              () ->
                  caps.creditDue(clock.instant())
                      .forEach(account -> listener.changed(account, List.of())));
          return tasks;
        });
  }

  private static SettlementClock.DatabaseWatcher database(Readiness readiness) {
    return isAvailable -> {
      if (isAvailable) {
        readiness.cleared("database");
      } else {
        readiness.obstructed("database", "it does not answer, reports are deferred");
      }
    };
  }
}
