package io.viaduct.billing.rerating;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes re-rating, and the task that carries out its runs.
@Configuration(proxyBeanMethods = false)
class ReratingParts {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  @Bean
  Reratings reratings(TransactionTemplate transaction, JdbcClient jdbc) {
    return new Reratings(transaction, jdbc);
  }

  @Bean
  ReratingBatch reratingBatch(
      TransactionTemplate transaction,
      JdbcTemplate batches,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Ledger ledger,
      ChargeListener listener) {
    return new ReratingBatch(transaction, batches, tariffs, surcharges, ledger, listener);
  }

  @Bean
  Running<PeriodicTasks> reratingClock(ReratingBatch batch, InstantSource clock) {
    return new Running<>(
        Stage.SETTLEMENT,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("re-rating");
          tasks.every(PERIOD, "re-rating", () -> batch.workOff(clock.instant()));
          return tasks;
        });
  }
}
