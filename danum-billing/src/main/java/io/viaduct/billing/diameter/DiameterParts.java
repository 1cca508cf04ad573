package io.viaduct.billing.diameter;

import io.micrometer.core.instrument.MeterRegistry;
import io.viaduct.billing.accounting.AccountingPublisher;
import io.viaduct.billing.call.CallCharging;
import io.viaduct.billing.configuration.BillingConfiguration;
import io.viaduct.billing.configuration.DiameterSettings;
import io.viaduct.billing.credit.CreditService;
import io.viaduct.billing.lifecycle.PeriodicTasks;
import io.viaduct.billing.lifecycle.Running;
import io.viaduct.billing.lifecycle.Stage;
import io.viaduct.billing.ro.RoStore;
import io.viaduct.diameter.dictionary.Dictionary;
import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.CodecLimits;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.NodeIdentity;
import io.viaduct.diameter.peer.NodeSettings;
import io.viaduct.diameter.peer.PeerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/// Makes the Diameter node and what answers its peers, if the configuration has an identity.
@Configuration(proxyBeanMethods = false)
class DiameterParts {
  private static final Duration RELEASE = Duration.ofSeconds(1);
  private static final Duration HANDSHAKE = Duration.ofSeconds(10);
  private static final int UNKNOWN_CONNECTIONS_MAX = 64;
  private static final int REMEMBERED_MAX = 10_000;

  @Bean
  DiameterMeters diameterMeters(MeterRegistry registry) {
    return new DiameterMeters(registry);
  }

  @Bean
  Running<DiameterEndpoint> diameter(
      BillingConfiguration configuration,
      CallCharging charging,
      DiameterMeters meters,
      TransactionTemplate transaction,
      JdbcClient jdbc,
      RoStore ro,
      CreditService changes,
      MeterRegistry registry,
      InstantSource clock) {
    DiameterSettings settings = configuration.diameter();
    return new Running<>(
        Stage.DIAMETER,
        () -> {
          AccountingPublisher.enable(jdbc, configuration.hasAccountingRecords());
          if (!settings.hasNode()) {
            return DiameterEndpoint.NONE;
          }
          CallMessages messages =
              new CallMessages(
                  new Answers(Dictionary.standard(), settings.identity(), settings.realm()),
                  new SubscriberAddresses(configuration.sipDomain()),
                  charging.rules().validity());
          // A half of the pool, as for credit control: reports and pages must not wait for calls.
          int connections = Math.max(1, configuration.database().connections() / 2);
          CreditServer server =
              new CreditServer(
                  charging,
                  messages,
                  session -> ro.renew(session, clock.instant()),
                  connections,
                  meters,
                  clock);
          DiameterNode node = node(settings, server, clock);
          node.statistics().bindTo(registry);
          changes.follow(
              new CallReauthorisation(
                  node, charging, settings.identity(), settings.realm(), meters, clock));
          Runnable records =
              settings.hasRecords()
                  ? AccountingRecords.start(configuration, node, transaction, jdbc, registry, clock)
                  : () -> {};
          Runnable credit =
              settings.hasCredit()
                  ? CreditClient.start(configuration, node, ro, registry, clock)
                  : () -> {};
          return new DiameterEndpoint(
              Optional.of(node),
              server::close,
              () -> {
                credit.run();
                records.run();
              });
        });
  }

  // A call that began while there was an identity ends also without one.
  @Bean
  Running<PeriodicTasks> callClock(
      CallCharging charging, DiameterMeters meters, InstantSource clock) {
    return new Running<>(
        Stage.CREDIT,
        () -> {
          PeriodicTasks tasks = new PeriodicTasks("calls");
          tasks.every(
              RELEASE, "end of calls", () -> meters.lapsed(charging.endLapsed(clock.instant())));
          return tasks;
        });
  }

  private static DiameterNode node(
      DiameterSettings settings, CreditServer server, InstantSource clock) throws IOException {
    InetAddress own = InetAddress.getByName(settings.host());
    NodeIdentity identity =
        new NodeIdentity(
            settings.identity(),
            settings.realm(),
            List.of(own),
            "Viaduct",
            clock.instant().getEpochSecond(),
            Set.of(NodeIdentity.CREDIT_CONTROL),
            settings.hasRecords() ? Set.of(NodeIdentity.ACCOUNTING) : Set.of(),
            Set.of(NodeIdentity.VENDOR_3GPP));
    return DiameterNode.start(
        identity,
        new NodeSettings(
            new InetSocketAddress(own, settings.port()),
            peers(settings),
            settings.watchdog(),
            HANDSHAKE,
            HANDSHAKE,
            settings.requestsMax(),
            REMEMBERED_MAX,
            UNKNOWN_CONNECTIONS_MAX,
            CodecLimits.STANDARD),
        Dictionary.standard(),
        Map.of(NodeIdentity.CREDIT_CONTROL, server));
  }

  private static List<PeerSettings> peers(DiameterSettings settings) throws UnknownHostException {
    List<PeerSettings> peers = new ArrayList<>();
    for (DiameterSettings.Peer peer : settings.peers()) {
      Set<InetAddress> sources = new HashSet<>();
      for (String source : peer.sources()) {
        sources.add(InetAddress.getByName(source));
      }
      peers.add(new PeerSettings(peer.host(), address(peer), sources));
    }
    return peers;
  }

  private static @Nullable InetSocketAddress address(DiameterSettings.Peer peer)
      throws UnknownHostException {
    return peer.address().isEmpty()
        ? null
        : new InetSocketAddress(InetAddress.getByName(peer.address().get()), peer.portOrDefault());
  }
}
