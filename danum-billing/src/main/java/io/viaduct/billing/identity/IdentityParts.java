package io.viaduct.billing.identity;

import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.OidcSettings;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the log-in by a provider.
@Configuration(proxyBeanMethods = false)
class IdentityParts {
  @Bean
  IdTokens idTokens(JdbcClient jdbc, BillingConfiguration configuration, InstantSource clock) {
    return new IdTokens(jdbc, configuration.users().oidc(), clock);
  }

  @Bean
  Identities identities(
      JdbcClient jdbc,
      TransactionTemplate transaction,
      Accounts accounts,
      BillingConfiguration configuration) {
    OidcSettings provider = configuration.users().oidc();
    return new Identities(
        jdbc,
        transaction,
        accounts,
        provider,
        new Claims(provider, configuration.sipDomain()),
        configuration.operator().user());
  }
}
