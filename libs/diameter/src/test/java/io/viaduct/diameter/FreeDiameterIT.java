package io.viaduct.diameter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.diameter.accounting.AccountingSession;
import io.viaduct.diameter.accounting.ServiceFact;
import io.viaduct.diameter.accounting.ServiceInformation;
import io.viaduct.diameter.accounting.ServiceUsage;
import io.viaduct.diameter.credit.CreditAnswer;
import io.viaduct.diameter.credit.CreditSession;
import io.viaduct.diameter.credit.FinalUnit;
import io.viaduct.diameter.credit.ServiceGrant;
import io.viaduct.diameter.credit.ServiceRequest;
import io.viaduct.diameter.credit.ServiceUnits;
import io.viaduct.diameter.credit.Subscriber;
import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.CodecLimits;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import io.viaduct.diameter.peer.NodeIdentity;
import io.viaduct.diameter.peer.NodeSettings;
import io.viaduct.diameter.peer.Nodes;
import io.viaduct.diameter.peer.PeerSettings;
import io.viaduct.diameter.peer.RequestHandler;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Our client and our charging system with freeDiameter between them: capabilities exchange in both
/// roles, watchdogs, Rf, Ro, and leave.
@Timeout(120)
class FreeDiameterIT {
  private static final String CLIENT = "client.ims.test";
  private static final String SERVER = "charging.ims.test";
  private static final Instant NOW = Instant.parse("2026-11-27T10:00:00Z");
  private static final SessionParties PARTIES =
      new SessionParties(Nodes.DICTIONARY, CLIENT, "ims.test", "ims.test", "16.32260@3gpp.org");
  private static final Answers ANSWERS = new Answers(Nodes.DICTIONARY, SERVER, "ims.test");

  @TempDir Path directory;
  private final List<DiameterMessage> got = new CopyOnWriteArrayList<>();

  private static DiameterNode node(
      String host, InetSocketAddress listen, PeerSettings peer, Map<Long, RequestHandler> handlers)
      throws Exception {
    return DiameterNode.start(
        Nodes.identity(host),
        new NodeSettings(
            listen,
            List.of(peer),
            Duration.ofSeconds(1),
            // It may wait for a name server that does not answer before it accepts.
            Duration.ofSeconds(30),
            Duration.ofSeconds(20),
            100,
            100,
            4,
            CodecLimits.STANDARD),
        Nodes.DICTIONARY,
        handlers);
  }

  private CompletableFuture<DiameterMessage> account(DiameterMessage request) {
    got.add(request);
    return CompletableFuture.completedFuture(Nodes.answer(request, SERVER, 2001));
  }

  private CompletableFuture<DiameterMessage> grant(DiameterMessage request) {
    got.add(request);
    List<ServiceGrant> grants =
        CreditAnswer.services(request).stream()
            .map(service ->
                ServiceGrant.of(
                    service,
                    ServiceUnits.ofOctets(5000),
                    Optional.of(Duration.ofMinutes(1)),
                    Optional.of(FinalUnit.TERMINATE)))
            .toList();
    return CompletableFuture.completedFuture(
        new CreditAnswer(2001, grants, Optional.empty()).to(request, ANSWERS));
  }

  private DiameterMessage get(CompletableFuture<DiameterMessage> answer) throws Exception {
    try {
      return answer.get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(Files.readString(directory.resolve("output")), e);
    }
  }

  @Test
  void ourMessagesPassARelayWithADictionaryOfItsOwn() throws Exception {
    Map<Long, RequestHandler> handlers =
        Map.of(NodeIdentity.ACCOUNTING, this::account, NodeIdentity.CREDIT_CONTROL, this::grant);
    PeerSettings accepted = new PeerSettings(FreeDiameter.HOST, null);
    try (DiameterNode server = node(SERVER, Nodes.loopback(0), accepted, handlers);
        FreeDiameter relay = FreeDiameter.start(directory, SERVER, server.port())) {
      await()
          .atMost(Duration.ofSeconds(40))
          .until(() -> server.statistics().of(Count.CONNECTED) == 1);
      PeerSettings connected = new PeerSettings(FreeDiameter.HOST, relay.address());
      try (DiameterNode client = node(CLIENT, null, connected, Map.of())) {
        await()
            .atMost(Duration.ofSeconds(40))
            .until(() -> client.takes(NodeIdentity.ACCOUNTING).get());
        exchange(client);
        await().until(() -> client.statistics().of(Count.WATCHDOG_ANSWERED) > 1);
        await().until(() -> server.statistics().of(Count.WATCHDOG_ANSWERED) > 1);
        client.close();
        assertThat(client.statistics().of(Count.DISCONNECTED)).isEqualTo(1);
      }
      assertThat(server.statistics().of(Count.DISCONNECTED)).isZero();
    }
  }

  private void exchange(DiameterNode client) throws Exception {
    AccountingSession session = AccountingSession.begin(PARTIES, CLIENT + ";1;1", "alice");
    ServiceUsage usage =
        new ServiceUsage(
            1, 42, NOW, NOW.plusSeconds(9), 10, 20, Map.of(ServiceFact.DELAY_MS, "9.5"));
    ServiceInformation information = new ServiceInformation("icid-1", "session-1", List.of(usage));
    requireTheSame(client, session.start(information, NOW));
    requireTheSame(client, session.stop(information, NOW));

    CreditSession credit =
        new CreditSession(
            PARTIES,
            CLIENT + ";1;2",
            new Subscriber(Subscriber.Type.END_USER_SIP_URI, "sip:alice@ims.test"));
    ServiceRequest wanted = ServiceRequest.wanted(42, ServiceUnits.UNSPECIFIED);
    DiameterMessage answer = requireTheSame(client, credit.initial(List.of(wanted), NOW));
    assertThat(CreditAnswer.of(answer).grants().getFirst().finalUnit())
        .hasValue(FinalUnit.TERMINATE);
    requireTheSame(
        client,
        credit.terminate(
            List.of(ServiceRequest.ended(42, ServiceUnits.ofOctets(5000))),
            "DIAMETER_LOGOUT",
            NOW));
  }

  /// The relay adds Route-Record and changes nothing else.
  private DiameterMessage requireTheSame(DiameterNode client, DiameterMessage request)
      throws Exception {
    DiameterMessage answer = get(client.send(request));
    assertThat(answer.resultCode()).as("%s", answer).hasValue(2001);
    assertThat(
            got.getLast().avps().avps().stream().filter(avp -> !avp.name().equals("Route-Record")))
        .isEqualTo(request.avps().avps());
    return answer;
  }
}
