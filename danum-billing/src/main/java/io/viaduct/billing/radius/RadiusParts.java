package io.viaduct.billing.radius;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.access.AccessSessions;
import io.viaduct.billing.accounting.AccountingPublisher;
import io.viaduct.billing.accounting.RecordStore;
import io.viaduct.billing.accounting.SessionNaming;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.RadiusSettings;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.provisioning.SipAddresses;
import io.viaduct.radius.client.AccountingClient;
import io.viaduct.radius.client.ClientSettings;
import io.viaduct.radius.dictionary.Dictionary;
import io.viaduct.radius.message.SharedSecret;
import io.viaduct.radius.queue.RecordQueue;
import io.viaduct.radius.server.AccountingServer;
import io.viaduct.radius.server.NasClient;
import io.viaduct.radius.server.ServerSettings;
import io.viaduct.radius.statistics.RadiusStatistics;
import io.viaduct.service.storage.QueueSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the RADIUS listener and the sending of records, if the configuration asks for them.
@Configuration(proxyBeanMethods = false)
class RadiusParts {
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration FORGETTING = Duration.ofHours(1);

  // Access servers repeat a record for some ten seconds.
  private static final Duration REMEMBERED = Duration.ofSeconds(60);
  private static final int REMEMBERED_MAX = 20_000;

  /// Sessions with a record in flight, at most the 256 identifiers of a socket. Each session has
  /// one, which keeps its records in their order, also when one is repeated.
  private static final int WINDOW = 64;

  @Bean
  Running<RadiusEndpoint> radius(
      BillingConfiguration configuration,
      AccessSessions sessions,
      SipAddresses addresses,
      TransactionTemplate transaction,
      JdbcClient jdbc,
      MeterRegistry registry,
      InstantSource clock) {
    RadiusSettings settings = configuration.radius();
    return new Running<>(
        Stage.RADIUS,
        () -> {
          RadiusEndpoint endpoint = new RadiusEndpoint();
          RadiusStatistics statistics = new RadiusStatistics();
          if (settings.hasListener() || settings.hasRecords()) {
            statistics.bindTo(registry);
          }
          if (settings.hasListener()) {
            // A half of the pool, as for calls: reports and pages must not wait for records.
            int connections = Math.max(1, configuration.database().connections() / 2);
            AccessAccounting handler =
                endpoint.add(
                    new AccessAccounting(
                        sessions, addresses, configuration.sipDomain(), connections, registry));
            endpoint.listens(
                AccountingServer.start(
                    listener(settings), Dictionary.standard(), handler, statistics, clock));
          }
          if (settings.hasRecords()) {
            RecordQueue queue = queue(settings.accounting(), endpoint, statistics, clock);
            queue.bindTo(registry);
            RadiusRecords format =
                new RadiusRecords(settings.accounting().nasIdentifier(), configuration.sipDomain());
            endpoint.add(
                new AccountingPublisher(
                        transaction,
                        jdbc,
                        SessionNaming.radius(),
                        records ->
                            RecordStore.await(
                                queue.addAll(records.stream().map(format::encode).toList())),
                        configuration.adjustmentTime(),
                        registry)
                    .start(clock));
          }
          return endpoint;
        });
  }

  // Sessions of networks that are not configured any more are forgotten, too.
  @Bean
  Running<PeriodicTasks> accessSessionsClock(
      BillingConfiguration configuration, AccessSessions sessions, InstantSource clock) {
    int months = configuration.retention().personalDataMonths();
    return new Running<>(
        Stage.RADIUS,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("access-sessions");
          tasks.every(
              FORGETTING, "old access sessions", () -> sessions.forget(months, clock.instant()));
          return tasks;
        });
  }

  private static ServerSettings listener(RadiusSettings settings) throws IOException {
    List<NasClient> clients = new ArrayList<>();
    for (RadiusSettings.Client client : settings.clients()) {
      clients.add(
          new NasClient(
              client.name(),
              InetAddress.getByName(client.address()),
              new SharedSecret(client.secretFile().reveal())));
    }
    return new ServerSettings(
        new InetSocketAddress(InetAddress.getByName(settings.host()), settings.port()),
        clients,
        settings.requestsMax(),
        REMEMBERED,
        REMEMBERED_MAX);
  }

  private static RecordQueue queue(
      RadiusSettings.Accounting settings,
      RadiusEndpoint endpoint,
      RadiusStatistics statistics,
      InstantSource clock)
      throws IOException {
    List<ClientSettings.Server> servers = new ArrayList<>();
    for (RadiusSettings.Server server : settings.servers()) {
      servers.add(
          new ClientSettings.Server(
              new InetSocketAddress(
                  InetAddress.getByName(server.address()), server.portOrDefault()),
              new SharedSecret(server.secretFile().reveal())));
    }
    AccountingClient client =
        endpoint.add(
            AccountingClient.start(
                new ClientSettings(servers, settings.timeout(), settings.attempts()),
                Dictionary.standard(),
                statistics,
                clock));
    return endpoint.add(
        RecordQueue.open(
            new QueueSettings(Path.of(settings.directory()), settings.queueMax(), WINDOW, RETRY),
            client,
            Dictionary.standard()));
  }
}
