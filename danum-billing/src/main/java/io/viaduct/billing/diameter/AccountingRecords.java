package io.viaduct.billing.diameter;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.accounting.AccountingPublisher;
import io.viaduct.billing.accounting.PostedRecord;
import io.viaduct.billing.accounting.RecordStore;
import io.viaduct.billing.accounting.SessionNaming;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.DiameterSettings;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.diameter.accounting.AccountingSession;
import io.viaduct.diameter.accounting.ServiceInformation;
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
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Carries accounting records from the outbox of posted reports to the queue on disk, which sends
/// them to the charging data functions.
final class AccountingRecords {
  private static final Duration RETRY = Duration.ofSeconds(1);

  /// Sessions with a request in flight. Each has one, which keeps its records in their order, also
  /// when one is repeated.
  private static final int WINDOW = 64;

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
    SessionParties parties =
        new SessionParties(
            Dictionary.standard(), settings.identity(), settings.realm(), rf.realm(), rf.context());
    NamedFunctions functions = new NamedFunctions(settings.peers(), registry);
    AccountingPublisher publisher =
        new AccountingPublisher(
            transaction,
            jdbc,
            SessionNaming.diameter(settings.identity()),
            records ->
                RecordStore.await(
                    queue.addAll(
                        records.stream()
                            .map(record ->
                                functions.direct(
                                    encode(record, parties, configuration.sipDomain()),
                                    record.chargingFunctions()))
                            .toList())),
            configuration.adjustmentTime(),
            registry);
    PeriodicTasks tasks = publisher.start(clock);
    return () -> {
      tasks.close();
      queue.close();
    };
  }

  private static DiameterMessage encode(
      PostedRecord record, SessionParties parties, String domain) {
    String user = "sip:" + record.account() + "@" + domain;
    AccountingSession session =
        record.number() == 0
            ? AccountingSession.begin(parties, record.session(), user)
            : AccountingSession.resume(parties, record.session(), user, record.number());
    ServiceInformation information =
        new ServiceInformation(record.icid(), record.tunnelSession(), record.usage());
    return switch (record.kind()) {
      case START -> session.start(information, record.at());
      case INTERIM -> session.interim(information, record.at());
      case STOP, LAPSE -> session.stop(information, record.at());
    };
  }
}
