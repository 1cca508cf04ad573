package io.viaduct.billing.voucher;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes vouchers, their expiry, and the limit of guesses.
@Configuration(proxyBeanMethods = false)
class VoucherParts {
  private static final Duration PERIOD = Duration.ofSeconds(10);

  @Bean
  Vouchers vouchers(TransactionTemplate transaction, JdbcTemplate batches, Ledger ledger) {
    return new Vouchers(transaction, batches, ledger);
  }

  @Bean
  VoucherGuesses voucherGuesses(InstantSource clock) {
    return new VoucherGuesses(clock);
  }

  @Bean
  Running<PeriodicTasks> voucherClock(Vouchers vouchers, InstantSource clock) {
    return new Running<>(
        Stage.CREDIT,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("vouchers");
          tasks.every(PERIOD, "expiry of vouchers", () -> vouchers.onClock(clock.instant()));
          return tasks;
        });
  }
}
