package io.viaduct.billing.account;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.SessionsSettings;
import io.viaduct.billing.database.FirstRows;
import io.viaduct.billing.ledger.Ledger;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes accounts, log-ins, and the money that operators add.
@Configuration(proxyBeanMethods = false)
class AccountParts {
  private static final Logger LOG = LoggerFactory.getLogger(AccountParts.class);

  @Bean
  static FirstRows firstOperator(BillingConfiguration configuration, InstantSource clock) {
    return database -> {
      Accounts accounts =
          new Accounts(
              JdbcClient.create(database),
              new TransactionTemplate(new JdbcTransactionManager(database)),
              new Ledger(new JdbcTemplate(database)),
              new Passwords(1));
      accounts.bootstrapOperator(
          configuration.operator().user(),
          configuration.operator().passwordFile().reveal(),
          clock.instant());
      accounts
          .namedAsServices()
          .forEach(name ->
              LOG.warn(
                  "'{}' belongs to an account, so users' questions to this SIP address go to it:"
                      + " close the account, or take the address away",
                  name));
    };
  }

  @Bean
  Accounts accounts(
      JdbcClient jdbc,
      TransactionTemplate transaction,
      Ledger ledger,
      BillingConfiguration configuration) {
    Passwords passwords = new Passwords(configuration.sessions().passwordHashes());
    return new Accounts(jdbc, transaction, ledger, passwords);
  }

  @Bean
  LoginSessions logins(JdbcClient jdbc, BillingConfiguration configuration) {
    return new LoginSessions(
        jdbc, configuration.sessions().lifetime(), configuration.users().requiresTotp());
  }

  @Bean
  ApiTokens apiTokens(JdbcClient jdbc, TransactionTemplate transaction) {
    return new ApiTokens(jdbc, transaction);
  }

  @Bean
  LoginThrottle throttle(BillingConfiguration configuration, InstantSource clock) {
    SessionsSettings limits = configuration.sessions();
    return new LoginThrottle(
        new LoginThrottle.Budgets(
            limits.wrongPasswords(),
            limits.throttle(),
            limits.knownBrowserPause(),
            limits.wrongPasswordsPerSource(),
            limits.wrongPasswordsPerName(),
            limits.namePause()),
        clock,
        Thread::sleep);
  }

  @Bean
  KnownBrowsers browsers(BillingConfiguration configuration) {
    return KnownBrowsers.of(configuration.tls().privateKey());
  }

  @Bean
  TopUps topUps(TransactionTemplate transaction, JdbcClient jdbc, Ledger ledger) {
    return new TopUps(transaction, jdbc, ledger);
  }

  @Bean
  Credits credits(TransactionTemplate transaction, JdbcClient jdbc, Ledger ledger) {
    return new Credits(transaction, jdbc, ledger);
  }
}
