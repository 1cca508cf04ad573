package io.viaduct.billing.call;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.credit.CallCredit;
import io.viaduct.billing.credit.CreditService;
import io.viaduct.billing.ledger.Ledger;
import io.viaduct.billing.provisioning.SipAddresses;
import io.viaduct.billing.settlement.ChargeListener;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.wallet.Wallets;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the charging of calls.
@Configuration(proxyBeanMethods = false)
class CallParts {
  @Bean
  CallCharging callCharging(
      TransactionTemplate transaction,
      JdbcClient jdbc,
      SipAddresses addresses,
      TariffBook tariffs,
      CallCredit credit,
      Ledger ledger,
      Wallets wallets,
      ChargeListener listener,
      CreditService changes,
      BillingConfiguration configuration) {
    return new CallCharging(
        transaction,
        jdbc,
        addresses,
        tariffs,
        credit,
        ledger,
        wallets,
        listener,
        changes::changed,
        new CallRules(
            configuration.diameter().calls().grant(),
            configuration.diameter().calls().validity(),
            configuration.diameter().calls().voiceKbitPerSecond()));
  }

  @Bean
  Calls calls(JdbcClient jdbc) {
    return new Calls(jdbc);
  }
}
