package io.viaduct.billing.wallet;

import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes wallets, their grants and their expiry.
@Configuration(proxyBeanMethods = false)
class WalletParts {
  private static final Duration PERIOD = Duration.ofSeconds(1);

  @Bean
  Wallets wallets(JdbcClient jdbc) {
    return new Wallets(jdbc);
  }

  @Bean
  Grants grants(TransactionTemplate transaction, JdbcClient jdbc, Ledger ledger, Wallets wallets) {
    return new Grants(transaction, jdbc, ledger, wallets);
  }

  @Bean
  Running<PeriodicTasks> walletClock(Grants grants, InstantSource clock) {
    return new Running<>(
        Stage.CREDIT,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("wallets");
          tasks.every(PERIOD, "expiry of wallets", () -> grants.onClock(clock.instant()));
          return tasks;
        });
  }
}
