package io.viaduct.billing.diameter;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.accounting.AccountingPublisher;
import io.viaduct.billing.accounting.RecordStore;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.DiameterSettings;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.queue.RequestQueue;
import io.viaduct.service.storage.QueueSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Carries accounting records from the outbox of posted reports to the queue on disk, which sends
/// them to the charging data functions.
final class AccountingRecords {
  private static final Duration PERIOD = Duration.ofMillis(250);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final long DISK_SECONDS = 10;

  /// One request in flight keeps the records of a session in their order, also when one is
  /// repeated.
  private static final int WINDOW = 1;

  private AccountingRecords() {}

  /// Starts to carry records.
  ///
  /// @return ends it; what is not delivered is sent at the next start
  static Runnable start(
      BillingConfiguration configuration,
      DiameterNode node,
      TransactionTemplate transaction,
      JdbcClient jdbc,
      MeterRegistry registry,
      InstantSource clock)
      throws IOException {
    DiameterSettings settings = configuration.diameter();
    DiameterSettings.Rf rf = settings.rf();
    RequestQueue queue =
        RequestQueue.open(
            new QueueSettings(Path.of(rf.directory()), rf.queueMax(), WINDOW, RETRY),
            node,
            Dictionary.standard());
    queue.bindTo(registry);
    AccountingPublisher publisher =
        new AccountingPublisher(
            transaction,
            jdbc,
            new SessionParties(
                Dictionary.standard(),
                settings.identity(),
                settings.realm(),
                rf.realm(),
                rf.context()),
            configuration.sipDomain(),
            record -> store(queue, record),
            configuration.adjustmentTime(),
            registry);
    PeriodicTasks tasks = new PeriodicTasks("accounting");
    tasks.every(PERIOD, "accounting records", () -> publisher.publish(clock.instant()));
    return () -> {
      tasks.close();
      queue.close();
    };
  }

  private static void store(RequestQueue queue, DiameterMessage record)
      throws RecordStore.RecordRefusedException {
    try {
      queue.add(record).get(DISK_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new RecordStore.RecordRefusedException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RecordStore.RecordRefusedException(e);
    }
  }
}
