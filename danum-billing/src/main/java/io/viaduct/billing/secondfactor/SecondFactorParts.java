package io.viaduct.billing.secondfactor;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.provisioning.CredentialKeys;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the second factor of log-ins.
@Configuration(proxyBeanMethods = false)
class SecondFactorParts {
  @Bean
  SecondFactors secondFactors(
      JdbcClient jdbc,
      TransactionTemplate transaction,
      CredentialKeys keys,
      BillingConfiguration configuration) {
    return new SecondFactors(jdbc, transaction, keys, "Viaduct " + configuration.sipDomain());
  }

  @Bean
  LoginChallenges loginChallenges(JdbcClient jdbc) {
    return new LoginChallenges(jdbc);
  }

  @Bean
  Running<AutoCloseable> secondFactorsReady(SecondFactors factors) {
    return new Running<>(
        Stage.USERS,
        () -> {
          factors.renewSeals();
          return () -> {};
        });
  }
}
