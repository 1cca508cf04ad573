package io.viaduct.billing.outbox;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.provisioning.CredentialKeys;
import io.viaduct.service.operations.LabelledCounters;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the endpoints of webhooks and the delivery to them.
@Configuration(proxyBeanMethods = false)
class OutboxParts {
  private static final Duration LOOK = Duration.ofMillis(500);
  private static final Duration FORGET = Duration.ofMinutes(1);

  @Bean
  TargetRules webhookTargets(BillingConfiguration configuration) {
    return new TargetRules(configuration.webhooks().allowedNetworks());
  }

  @Bean
  Endpoints webhookEndpoints(
      JdbcClient jdbc, TransactionTemplate transaction, CredentialKeys keys) {
    return new Endpoints(jdbc, transaction, keys);
  }

  @Bean
  Deliveries webhookDeliveries(JdbcClient jdbc, TransactionTemplate transaction) {
    return new Deliveries(jdbc, transaction);
  }

  @Bean(destroyMethod = "close")
  WebhookSender webhookSender(
      BillingConfiguration configuration,
      TargetRules targets,
      Endpoints endpoints,
      Deliveries deliveries,
      InstantSource clock,
      MeterRegistry registry) {
    return new WebhookSender(
        configuration.webhooks(),
        targets,
        endpoints,
        deliveries,
        clock,
        LabelledCounters.register(
            registry,
            "viaduct_webhook_deliveries",
            "Attempts to deliver to webhooks, by the state of the delivery after it",
            "state",
            Deliveries.State.class));
  }

  @Bean
  Running<PeriodicTasks> webhookClock(
      WebhookSender sender,
      Endpoints endpoints,
      Deliveries deliveries,
      BillingConfiguration configuration,
      InstantSource clock) {
    return new Running<>(
        Stage.CREDIT,
        () -> {
          endpoints.renewSeals();
          PeriodicTasks tasks = new PeriodicTasks("webhooks");
          tasks.atOnceAndEvery(LOOK, "delivery of webhooks", sender::sendDue);
          tasks.every(
              FORGET,
              "forgetting of webhook events",
              () -> deliveries.forget(clock.instant().minus(configuration.webhooks().retention())));
          return tasks;
        });
  }
}
