package io.viaduct.billing.credit;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.CreditSettings;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Set;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes credit control: decisions, streams, pushes and notices.
@Configuration(proxyBeanMethods = false)
class CreditParts {
  private static final Duration RELEASE = Duration.ofSeconds(1);
  private static final Duration DELIVERY = Duration.ofMillis(250);

  @Bean
  CreditStore creditStore(JdbcTemplate batches, BillingConfiguration configuration) {
    return new CreditStore(batches, MicroDenarii.ofDenarii(configuration.credit().defaultLimit()));
  }

  @Bean
  CreditRules creditRules(CreditStore store) {
    return new CreditRules(store);
  }

  @Bean
  CreditBlocks creditBlocks(TransactionTemplate transaction, JdbcClient jdbc) {
    return new CreditBlocks(transaction, jdbc);
  }

  @Bean
  HeldCredit heldCredit(JdbcClient jdbc) {
    return new HeldCredit(jdbc);
  }

  @Bean
  CreditNotices creditNotices(
      CreditStore store, JdbcClient jdbc, BillingConfiguration configuration) {
    CreditSettings credit = configuration.credit();
    return new CreditNotices(
        store,
        jdbc,
        MicroDenarii.ofDenarii(credit.low()),
        MicroDenarii.ofDenarii(credit.hysteresis()),
        !credit.webhook().url().isEmpty());
  }

  @Bean
  CreditControl creditControl(
      TransactionTemplate transaction,
      CreditStore store,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Snapts snapts,
      CreditNotices notices,
      CreditMeters meters,
      BillingConfiguration configuration) {
    CreditSettings credit = configuration.credit();
    return new CreditControl(
        transaction,
        store,
        tariffs,
        surcharges,
        new CreditControl.Owners(
            owners(configuration), () -> snapts.ownership(configuration::ownerOf)),
        new GrantRules(
            credit.grantTime(),
            credit.grantBytesMin(),
            credit.validity(),
            credit.validityMin(),
            credit.grace()),
        notices,
        meters,
        configuration.adjustmentTime());
  }

  @Bean
  CallCredit callCredit(CreditStore store, CreditControl control, CreditNotices notices) {
    return new CallCredit(store, control, notices);
  }

  private static Set<String> owners(BillingConfiguration configuration) {
    Set<String> owners = new HashSet<>(configuration.snaptOwners().values());
    owners.add(configuration.defaultOwner());
    return owners;
  }

  @Bean
  CreditMeters creditMeters(MeterRegistry registry) {
    return new CreditMeters(registry);
  }

  @Bean(destroyMethod = "") // creditStreams closes it, before the server waits for its streams
  CreditService credit(
      CreditControl control,
      CreditMeters meters,
      BillingConfiguration configuration,
      InstantSource clock) {
    // Half of the pool: reports and pages must not wait for requests for credit.
    return new CreditService(
        control, Math.max(1, configuration.database().connections() / 2), clock, meters);
  }

  @Bean
  Running<AutoCloseable> creditStreams(CreditService credit) {
    return Running.atStop(Stage.BRIDGE_STREAMS, credit);
  }

  @Bean
  Running<PeriodicTasks> creditClock(
      CreditControl control,
      CreditService service,
      CreditStore store,
      CreditMeters meters,
      JdbcClient jdbc,
      BillingConfiguration configuration,
      InstantSource clock) {
    return new Running<>(
        Stage.CREDIT,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("credit");
          tasks.every(RELEASE, "release of lapsed grants", () -> control.release(clock.instant()));
          tasks.atOnceAndEvery(
              configuration.verificationPeriod(),
              "sum of the reservations",
              () -> meters.reserved(store.reserved()));
          tasks.atOnceAndEvery(
              configuration.verificationPeriod(),
              "sum below the credit limits",
              () -> meters.belowLimit(store.belowLimit()));
          tasks.atOnceAndEvery(
              configuration.verificationPeriod(), "missed notices", service::catchUp);
          NoticeWebhook.of(configuration.credit().webhook(), jdbc, clock, meters)
              .ifPresent(
                  webhook -> tasks.every(DELIVERY, "delivery of notices", webhook::deliverDue));
          return tasks;
        });
  }
}
