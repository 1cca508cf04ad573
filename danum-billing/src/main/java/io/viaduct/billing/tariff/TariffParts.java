package io.viaduct.billing.tariff;

import io.viaduct.billing.database.FirstRows;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the tariff book.
@Configuration(proxyBeanMethods = false)
class TariffParts {
  @Bean
  static FirstRows firstTariff(InstantSource clock) {
    return database ->
        new TariffBook(
                JdbcClient.create(database),
                new TransactionTemplate(new JdbcTransactionManager(database)))
            .storeInitial(TariffDocument.initial(), clock.instant());
  }

  @Bean
  TariffBook tariffs(JdbcClient jdbc, TransactionTemplate transaction) {
    return new TariffBook(jdbc, transaction);
  }

  @Bean
  TariffDrafts drafts(TransactionTemplate transaction, JdbcClient jdbc) {
    return new TariffDrafts(transaction, jdbc);
  }

  @Bean
  SurchargeBook surcharges(JdbcClient jdbc, TransactionTemplate transaction) {
    return new SurchargeBook(jdbc, transaction);
  }
}
