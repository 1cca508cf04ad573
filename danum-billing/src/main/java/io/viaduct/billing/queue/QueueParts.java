package io.viaduct.billing.queue;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.KafkaSettings;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.mediation.BridgeClocks;
import io.viaduct.billing.mediation.ReportIntake;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the parts that use topics of Apache Kafka, if there is a broker.
@Configuration(proxyBeanMethods = false)
class QueueParts {
  private static final Duration PUBLICATION = Duration.ofMillis(250);

  @Bean
  QueueMeters queueMeters(MeterRegistry registry) {
    return new QueueMeters(registry);
  }

  @Bean
  Running<AutoCloseable> queuedReports(
      BillingConfiguration configuration,
      ReportIntake intake,
      BridgeClocks clocks,
      QueueMeters meters,
      InstantSource clock) {
    KafkaSettings settings = configuration.kafka();
    return new Running<>(
        Stage.QUEUE,
        () -> {
          if (!settings.broker().exists()) {
            return () -> {};
          }
          Map<String, Object> connection = settings.broker().properties(configuration.tls());
          return ReportConsumer.start(
              settings,
              connection,
              new QueuedReports(intake, clock, clocks, meters),
              new RecordWriter(connection, settings.deadline()),
              meters);
        });
  }

  @Bean
  Running<AutoCloseable> publishedCharges(
      BillingConfiguration configuration,
      TransactionTemplate transaction,
      JdbcClient jdbc,
      QueueMeters meters,
      InstantSource clock) {
    KafkaSettings settings = configuration.kafka();
    return new Running<>(
        Stage.QUEUE,
        () -> {
          ChargePublisher.enable(jdbc, settings.publishes());
          if (!settings.publishes()) {
            return () -> {};
          }
          RecordWriter writer =
              new RecordWriter(
                  settings.broker().properties(configuration.tls()), settings.deadline());
          ChargePublisher publisher =
              new ChargePublisher(transaction, jdbc, writer, settings.charges(), clock, meters);
          PeriodicTasks tasks = new PeriodicTasks("charges");
          tasks.every(PUBLICATION, "publication of charges", publisher::publish);
          return () -> {
            tasks.close();
            writer.close();
          };
        });
  }
}
