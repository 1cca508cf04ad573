package io.viaduct.billing.ro;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the store of credit at the operator's charging system.
@Configuration(proxyBeanMethods = false)
class RoParts {
  @Bean
  RoStore roStore(TransactionTemplate transaction, JdbcClient jdbc) {
    return new RoStore(transaction, jdbc);
  }
}
