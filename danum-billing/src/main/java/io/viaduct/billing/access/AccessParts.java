package io.viaduct.billing.access;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the store of sessions in access networks.
@Configuration(proxyBeanMethods = false)
class AccessParts {
  @Bean
  AccessSessions accessSessions(TransactionTemplate transaction, JdbcClient jdbc) {
    return new AccessSessions(transaction, jdbc);
  }

  @Bean
  AccessSessionList accessSessionList(JdbcClient jdbc) {
    return new AccessSessionList(jdbc);
  }
}
