package io.viaduct.billing.cdr;

import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.CdrSettings;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the export of charging data records, if a directory is configured.
@Configuration(proxyBeanMethods = false)
class CdrParts {
  private static final Duration LOOK = Duration.ofSeconds(1);

  @Bean
  CdrExport cdrExport(
      BillingConfiguration configuration,
      JdbcClient jdbc,
      TransactionTemplate transaction,
      InstantSource clock) {
    CdrSettings settings = configuration.cdr();
    return new CdrExport(settings, format(settings), jdbc, transaction, clock);
  }

  @Bean
  Running<PeriodicTasks> cdrClock(
      BillingConfiguration configuration, JdbcClient jdbc, CdrExport export) {
    CdrSettings settings = configuration.cdr();
    return new Running<>(
        Stage.SETTLEMENT,
        () -> {
          boolean isEnabled = !settings.directory().isEmpty();
          jdbc.sql("update cdr_export set enabled = :now where enabled <> :now")
              .param("now", isEnabled)
              .update();
          PeriodicTasks tasks = new PeriodicTasks("cdr");
          if (isEnabled) {
            tasks.atOnceAndEvery(LOOK, "export of charging data records", export::run);
          }
          return tasks;
        });
  }

  private static CdrFormat format(CdrSettings settings) {
    return switch (settings.format()) {
      case "CSV" -> TextFormat.CSV;
      case "JSONL" -> TextFormat.JSONL;
      default -> new ThreeGppFormat(InetAddress.ofLiteral(settings.address()));
    };
  }
}
