package io.viaduct.billing.provisioning;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.account.Accounts;
import io.viaduct.billing.account.LoginSessions;
import io.viaduct.billing.audit.AuditLog;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.credit.CreditRules;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.snapts.Invitations;
import io.viaduct.billing.snapts.Snapts;
import io.viaduct.billing.snapts.SnaptsImport;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.service.configuration.ConfigurationException;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes users, their SIP credentials and devices, and the feed of the bridges.
@Configuration(proxyBeanMethods = false)
class ProvisioningParts {
  private static final Logger LOG = LoggerFactory.getLogger(ProvisioningParts.class);

  @Bean
  CredentialKeys credentialKeys(BillingConfiguration configuration) {
    return CredentialKeys.load(
        configuration.credentials().keyFile(), configuration.credentials().formerKeyFiles());
  }

  @Bean
  Cards cards(
      JdbcClient jdbc, TransactionTemplate transaction, Accounts accounts, CredentialKeys keys) {
    return new Cards(jdbc, transaction, accounts, keys);
  }

  @Bean
  SipAddresses sipAddresses(JdbcClient jdbc, TransactionTemplate transaction, Accounts accounts) {
    return new SipAddresses(jdbc, transaction, accounts);
  }

  @Bean
  SipCredentials sipCredentials(
      JdbcClient jdbc,
      TransactionTemplate transaction,
      CredentialKeys keys,
      Cards cards,
      BillingConfiguration configuration) {
    return new SipCredentials(jdbc, transaction, keys, cards, configuration.sipDomain());
  }

  @Bean
  Devices devices(
      JdbcClient jdbc,
      TransactionTemplate transaction,
      Accounts accounts,
      BillingConfiguration configuration) {
    return new Devices(jdbc, transaction, accounts, configuration.devicesMax());
  }

  @Bean
  Users users(
      TransactionTemplate transaction,
      Accounts accounts,
      LoginSessions logins,
      SipCredentials credentials,
      Devices devices,
      BillingConfiguration configuration) {
    return new Users(
        transaction, accounts, logins, credentials, devices, configuration.operator().user());
  }

  @Bean
  SubscriberImport subscriberImport(
      TransactionTemplate transaction,
      Accounts accounts,
      SipCredentials credentials,
      Cards cards,
      AuditLog audit,
      InstantSource clock) {
    return new SubscriberImport(transaction, accounts, credentials, cards, audit, clock);
  }

  @Bean
  Running<AutoCloseable> usersReady(
      SipCredentials credentials,
      SubscriberImport users,
      BillingConfiguration configuration,
      InstantSource clock) {
    return new Running<>(
        Stage.USERS,
        () -> {
          renewSeals(credentials, clock);
          users.importFrom(configuration.imports());
          return () -> {};
        });
  }

  private static void renewSeals(SipCredentials credentials, InstantSource clock) {
    try {
      int renewed = credentials.renewSeals(clock.instant());
      if (renewed > 0) {
        LOG.info(
            "{} SIP credentials were sealed with the current key: the former key files are not needed any more",
            renewed);
      }
    } catch (SipCredentials.UnknownKeyException e) {
      throw new ConfigurationException(String.valueOf(e.getMessage()));
    }
  }

  @Bean
  PasswordResets passwordResets(JdbcClient jdbc, TransactionTemplate transaction, Users users) {
    return new PasswordResets(jdbc, transaction, users);
  }

  @Bean
  AccountFacts accountFacts(
      JdbcClient jdbc, CreditRules credit, TariffBook tariffs, BillingConfiguration configuration) {
    return new AccountFacts(
        jdbc, credit, tariffs, MicroDenarii.ofDenarii(configuration.credit().low()));
  }

  @Bean(destroyMethod = "") // subscriberStreams closes it, before the server waits for its streams
  ProvisioningService provisioning(
      JdbcClient jdbc,
      SipCredentials credentials,
      Cards cards,
      Devices devices,
      AccountFacts facts,
      BillingConfiguration configuration,
      InstantSource clock,
      MeterRegistry registry) {
    return new ProvisioningService(
        jdbc,
        credentials,
        cards,
        devices,
        facts,
        MicroDenarii.ofDenarii(configuration.credit().low()),
        clock,
        registry);
  }

  @Bean(destroyMethod = "") // snaptStreams closes it, before the server waits for its streams
  EnrolmentService enrolment(
      Snapts snapts,
      SurchargeBook surcharges,
      SnaptsImport imports,
      Invitations invitations,
      BillingConfiguration configuration,
      InstantSource clock,
      MeterRegistry registry) {
    return new EnrolmentService(
        snapts, surcharges, imports, invitations, configuration, clock, registry);
  }

  @Bean
  Running<AutoCloseable> snaptStreams(EnrolmentService enrolment) {
    return Running.atStop(Stage.BRIDGE_STREAMS, enrolment);
  }

  @Bean
  Running<AutoCloseable> subscriberStreams(ProvisioningService provisioning) {
    return Running.atStop(Stage.BRIDGE_STREAMS, provisioning);
  }
}
