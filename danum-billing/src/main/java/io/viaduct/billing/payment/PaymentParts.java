package io.viaduct.billing.payment;

import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.TopUps;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes payments.
@Configuration(proxyBeanMethods = false)
class PaymentParts {
  @Bean
  Payments payments(
      TransactionTemplate transaction, JdbcClient jdbc, Accounts accounts, TopUps topUps) {
    return new Payments(transaction, jdbc, accounts, topUps);
  }
}
