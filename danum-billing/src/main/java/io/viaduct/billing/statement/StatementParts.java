package io.viaduct.billing.statement;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/// Makes statements.
@Configuration(proxyBeanMethods = false)
class StatementParts {
  @Bean
  Statements statements(JdbcClient jdbc, PlatformTransactionManager transactions) {
    return new Statements(jdbc, transactions);
  }
}
