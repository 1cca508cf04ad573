package io.viaduct.diameter.peer;

import static io.viaduct.diameter.peer.Nodes.accounting;
import static io.viaduct.diameter.peer.Nodes.answer;
import static io.viaduct.diameter.peer.Nodes.client;
import static io.viaduct.diameter.peer.Nodes.peer;
import static io.viaduct.diameter.peer.Nodes.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.Refusal;
import io.viaduct.diameter.peer.DiameterStatistics.Count;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Nodes that talk over TCP.
@Timeout(60)
class DiameterNodeTest {
  private static final String CLIENT = "client.ims.test";
  private static final String FIRST = "first.ims.test";
  private static final String SECOND = "second.ims.test";

  private final List<DiameterNode> nodes = new ArrayList<>();
  private final List<DiameterMessage> firstGot = new CopyOnWriteArrayList<>();
  private final List<DiameterMessage> secondGot = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    nodes.forEach(DiameterNode::close);
  }

  private DiameterNode keep(DiameterNode node) {
    nodes.add(node);
    return node;
  }

  private static RequestHandler successful(String host, List<DiameterMessage> got) {
    return request -> {
      got.add(request);
      return CompletableFuture.completedFuture(answer(request, host, 2001));
    };
  }

  private static RequestHandler silent(List<DiameterMessage> got) {
    return request -> {
      got.add(request);
      return new CompletableFuture<>();
    };
  }

  private static DiameterMessage get(CompletableFuture<DiameterMessage> answer) throws Exception {
    return answer.get(20, TimeUnit.SECONDS);
  }

  private static void awaitAvailable(DiameterNode node) {
    await().until(() -> node.takes(NodeIdentity.ACCOUNTING).get());
  }

  @Test
  void aRequestIsAnsweredAfterTheCapabilitiesExchange() throws Exception {
    DiameterNode server = keep(server(FIRST, CLIENT, successful(FIRST, firstGot)));
    DiameterNode client = keep(client(CLIENT, peer(FIRST, server.port())));
    awaitAvailable(client);
    DiameterMessage answer = get(client.send(accounting(7)));
    assertThat(answer.isSuccess()).isTrue();
    assertThat(answer.avps().text("Origin-Host")).hasValue(FIRST);
    assertThat(answer.avps().number("Accounting-Record-Number")).hasValue(7);
    assertThat(answer.header().endToEnd()).isEqualTo(firstGot.getFirst().header().endToEnd());
    assertThat(firstGot.getFirst().header().retransmitted()).isFalse();
  }

  @Test
  void watchdogsGoBothWaysWhileNothingElseDoes() throws Exception {
    DiameterNode server = keep(server(FIRST, CLIENT, successful(FIRST, firstGot)));
    DiameterNode client = keep(client(CLIENT, peer(FIRST, server.port())));
    await()
        .until(() ->
            client.statistics().of(Count.WATCHDOG_ANSWERED) > 1
                || server.statistics().of(Count.WATCHDOG_ANSWERED) > 1);
    assertThat(client.statistics().of(Count.DISCONNECTED)).isZero();
  }

  @Test
  void twoNodesThatConnectToEachOtherKeepOneConnection() throws Exception {
    try (ServerSocket holder = new ServerSocket()) {
      InetSocketAddress ofA = Nodes.reserved(holder);
      DiameterNode b = both("b.ims.test", Nodes.loopback(0), "a.ims.test", ofA);
      DiameterNode a = both("a.ims.test", ofA, "b.ims.test", Nodes.loopback(b.port()));
      awaitAvailable(a);
      awaitAvailable(b);
      assertThat(get(a.send(accounting(1))).avps().text("Origin-Host")).hasValue("b.ims.test");
      assertThat(get(b.send(accounting(2))).avps().text("Origin-Host")).hasValue("a.ims.test");
    }
  }

  private DiameterNode both(
      String host, InetSocketAddress listen, String peer, InetSocketAddress address)
      throws Exception {
    return keep(
        DiameterNode.start(
            Nodes.identity(host),
            Nodes.settings(listen, new PeerSettings(peer, address)),
            Nodes.DICTIONARY,
            Map.of(NodeIdentity.ACCOUNTING, successful(host, firstGot))));
  }

  @Test
  void aRequestInFlightGoesToTheNextPeerWithTheTBitAndItsEndToEndIdentifier() throws Exception {
    DiameterNode first = keep(server(FIRST, CLIENT, silent(firstGot)));
    DiameterNode second = keep(server(SECOND, CLIENT, successful(SECOND, secondGot)));
    DiameterNode client =
        keep(client(CLIENT, peer(FIRST, first.port()), peer(SECOND, second.port())));
    await().until(() -> client.statistics().of(Count.CONNECTED) == 2);
    CompletableFuture<DiameterMessage> answer = client.send(accounting(3));
    await().until(() -> firstGot.size() == 1);
    first.close();
    assertThat(get(answer).avps().text("Origin-Host")).hasValue(SECOND);
    assertThat(secondGot.getFirst().header().retransmitted()).isTrue();
    assertThat(secondGot.getFirst().header().endToEnd())
        .isEqualTo(firstGot.getFirst().header().endToEnd());
    assertThat(client.statistics().of(Count.FAIL_OVER)).isEqualTo(1);
  }

  @Test
  void requestsReturnToTheFirstPeerOnceItHasAnsweredThreeWatchdogs() throws Exception {
    try (ServerSocket holder = new ServerSocket()) {
      InetSocketAddress address = Nodes.reserved(holder);
      RequestHandler handler = successful(FIRST, firstGot);
      DiameterNode first = keep(server(FIRST, address, CLIENT, handler));
      DiameterNode second = keep(server(SECOND, CLIENT, successful(SECOND, secondGot)));
      PeerSettings peer = new PeerSettings(FIRST, address);
      DiameterNode client = keep(client(CLIENT, peer, peer(SECOND, second.port())));
      await().until(() -> client.statistics().of(Count.CONNECTED) == 2);
      first.close();
      await().until(() -> client.statistics().of(Count.DISCONNECTED) == 1);
      assertThat(get(client.send(accounting(1))).avps().text("Origin-Host")).hasValue(SECOND);
      keep(server(FIRST, address, CLIENT, handler));
      await().until(() -> client.statistics().of(Count.FAIL_BACK) == 1);
      assertThat(get(client.send(accounting(2))).avps().text("Origin-Host")).hasValue(FIRST);
    }
  }

  @Test
  void aRequestThatAPeerCannotDeliverGoesToTheNext() throws Exception {
    RequestHandler busy =
        request -> CompletableFuture.completedFuture(answer(request, FIRST, 3004));
    DiameterNode first = keep(server(FIRST, CLIENT, busy));
    DiameterNode second = keep(server(SECOND, CLIENT, successful(SECOND, secondGot)));
    DiameterNode client =
        keep(client(CLIENT, peer(FIRST, first.port()), peer(SECOND, second.port())));
    await().until(() -> client.statistics().of(Count.CONNECTED) == 2);
    assertThat(get(client.send(accounting(1))).avps().text("Origin-Host")).hasValue(SECOND);
    second.close();
    await().until(() -> client.statistics().of(Count.DISCONNECTED) == 1);
    assertThat(get(client.send(accounting(2))).resultCode()).hasValue(3004);
  }

  @Test
  void aCopyOfARequestGetsTheAnswerOfTheFirstAndIsNotProcessedAgain() throws Exception {
    DiameterNode server = keep(server(FIRST, CLIENT, successful(FIRST, firstGot)));
    DiameterNode client = keep(client(CLIENT, peer(FIRST, server.port())));
    awaitAvailable(client);
    DiameterMessage request = accounting(1);
    DiameterMessage one = request.with(request.header().withEndToEnd(77));
    DiameterMessage copy = one.with(one.header().asRetransmission());
    assertThat(get(client.send(one)).avps()).isEqualTo(get(client.send(copy)).avps());
    assertThat(firstGot).hasSize(1);
    assertThat(server.statistics().of(Count.DUPLICATE)).isEqualTo(1);
  }

  @Test
  void requestsInFlightAreLimitedAndEndWithTheNode() throws Exception {
    DiameterNode server = keep(server(FIRST, CLIENT, silent(firstGot)));
    DiameterNode client = client(CLIENT, peer(FIRST, server.port()));
    awaitAvailable(client);
    List<CompletableFuture<DiameterMessage>> answers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      answers.add(client.send(accounting(i)));
    }
    assertFails(answers.getLast(), DiameterFailure.TOO_MANY_PENDING);
    client.close();
    assertFails(answers.getFirst(), DiameterFailure.CLOSED);
    assertFails(client.send(accounting(9)), DiameterFailure.CLOSED);
  }

  @Test
  void aRequestWithoutAPeerFailsAtOnce() throws Exception {
    DiameterNode client = keep(client(CLIENT));
    assertFails(client.send(accounting(1)), DiameterFailure.NO_PEER);
    assertThat(client.statistics().of(DiameterFailure.NO_PEER)).isEqualTo(1);
  }

  private static void assertFails(
      CompletableFuture<DiameterMessage> answer, DiameterFailure failure) {
    assertThatThrownBy(() -> get(answer))
        .cause()
        .isInstanceOfSatisfying(
            DiameterException.class, e -> assertThat(e.failure()).isEqualTo(failure));
  }

  @Test
  void anApplicationWithoutAHandlerAndAFailingHandlerAreAnswered() throws Exception {
    RequestHandler failing =
        _ -> {
          throw new IllegalStateException("planted");
        };
    DiameterNode server = keep(server(FIRST, CLIENT, failing));
    DiameterNode client = keep(client(CLIENT, peer(FIRST, server.port())));
    awaitAvailable(client);
    assertThat(get(client.send(accounting(1))).resultCode()).hasValue(5012);
    DiameterMessage request = accounting(1);
    DiameterMessage other =
        request.with(DiameterHeader.request(271, true, NodeIdentity.CREDIT_CONTROL));
    DiameterMessage answer = get(client.send(other));
    assertThat(answer.resultCode()).hasValue(3007);
    assertThat(answer.header().error()).isTrue();
  }

  @Test
  void aNodeThatIsNoPeerIsToldSoAndDisconnected() throws Exception {
    DiameterNode server = keep(server(FIRST, "other.ims.test", silent(firstGot)));
    keep(client(CLIENT, peer(FIRST, server.port())));
    await().until(() -> server.statistics().of(Count.UNKNOWN_PEER) > 0);
    assertThat(server.statistics().of(Count.CONNECTED)).isZero();
  }

  @Test
  void aPeerMayConnectFromItsAddressesOnly() throws Exception {
    PeerSettings elsewhere =
        new PeerSettings(CLIENT, null, Set.of(InetAddress.getByName("192.0.2.9")));
    DiameterNode server =
        keep(
            DiameterNode.start(
                Nodes.identity(FIRST),
                Nodes.settings(Nodes.loopback(0), elsewhere),
                Nodes.DICTIONARY,
                Map.of()));
    keep(client(CLIENT, peer(FIRST, server.port())));
    await().until(() -> server.statistics().of(Count.UNKNOWN_PEER) > 0);
    assertThat(server.statistics().of(Count.CONNECTED)).isZero();
  }

  @Test
  void moreRequestsThanTheLimitAreAnsweredAsTooBusy() throws Exception {
    DiameterNode server = keep(server(FIRST, CLIENT, silent(firstGot)));
    // The server's limit is 5; that of this client is larger.
    DiameterNode client =
        keep(
            DiameterNode.start(
                Nodes.identity(CLIENT),
                NodeSettings.standard(null, List.of(peer(FIRST, server.port()))),
                Nodes.DICTIONARY,
                Map.of()));
    awaitAvailable(client);
    List<CompletableFuture<DiameterMessage>> answers = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      answers.add(client.send(accounting(i)));
    }
    assertThat(get(answers.getLast()).resultCode()).hasValue(3004);
    assertThat(server.statistics().of(Count.TOO_BUSY)).isEqualTo(1);
    assertThat(firstGot).hasSize(5);
  }

  @Test
  void whatCannotBeDelimitedIsAnsweredAndEndsItsConnection() throws Exception {
    DiameterNode server = keep(server(FIRST, CLIENT, silent(firstGot)));
    try (RawPeer raw = new RawPeer(server.port())) {
      raw.send("01 00ffff 80 000101 00000000 00000005 00000006");
      DiameterMessage answer = raw.receive();
      assertThat(answer.resultCode()).hasValue(5015);
      assertThat(answer.header().hopByHop()).isEqualTo(5);
      assertThat(raw.isEnded()).isTrue();
    }
    await().until(() -> server.statistics().of(Refusal.INVALID_MESSAGE_LENGTH) == 1);
  }

  @Test
  void aConnectionWithoutACapabilitiesExchangeIsRefused() throws Exception {
    DiameterNode server = keep(server(FIRST, CLIENT, silent(firstGot)));
    try (RawPeer raw = new RawPeer(server.port())) {
      raw.send(accounting(1).encode());
      assertThat(raw.isEnded()).isTrue();
    }
    assertThat(server.statistics().of(Count.UNEXPECTED)).isEqualTo(1);
    List<RawPeer> idle = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      idle.add(new RawPeer(server.port()));
    }
    await().until(() -> server.statistics().of(Count.NO_CAPABILITIES) == 1);
    for (RawPeer raw : idle) {
      raw.close();
    }
  }
}
