package io.viaduct.billing.statement;

import io.viaduct.billing.database.Snapshot;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/// Makes statements.
@Configuration(proxyBeanMethods = false)
class StatementParts {
  @Bean
  Statements statements(JdbcClient jdbc, Snapshot snapshot) {
    return new Statements(jdbc, snapshot);
  }
}
