package io.viaduct.sip.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipStatistics.Count;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class SipEndpointTest {
  private static final Consumer<String> OK =
      response -> assertThat(response).startsWith("SIP/2.0 200 ");

  private final List<SipRequest> received = new CopyOnWriteArrayList<>();
  @RegisterExtension private final Endpoints endpoints = new Endpoints();

  private static SipFlow to(SipEndpoint endpoint, Transport transport) {
    return new SipFlow(
        transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()));
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"UDP", "TCP"})
  void aRequestReachesTheHandlerAndItsAnswerComesBack(Transport transport) throws Exception {
    SipEndpoint server =
        endpoints.start(request -> {
          received.add(request.message());
          request.answer(
              SipResponse.to(request.message(), 200).withBody("text/plain", SipBody.of("hi")));
        });
    SipEndpoint client = endpoints.start(request -> request.answer(501));

    SipResponse response =
        client
            .send(Endpoints.message("höllo\r\nthere"), to(server, transport))
            .get(10, TimeUnit.SECONDS);

    assertThat(response.status()).isEqualTo(200);
    assertThat(response.body().text()).isEqualTo("hi");
    assertThat(response.to().tag()).isNotEmpty();
    assertThat(response.headers().all("Via")).isEmpty();
    assertThat(received)
        .singleElement()
        .satisfies(request -> {
          assertThat(request.body().text()).isEqualTo("höllo\r\nthere");
          assertThat(request.headers().require("Via"))
              .contains("received=127.0.0.1")
              .contains("rport=");
        });
    assertThat(server.statistics().refused()).isZero();
    assertThat(client.statistics().refused()).isZero();
  }

  @Test
  void aClosedEndpointLeavesNoThreadBehind() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    SipEndpoint endpoint = endpoints.start(request -> request.answer(200));
    Set<Thread> its = new HashSet<>(Thread.getAllStackTraces().keySet());
    its.removeAll(before);
    assertThat(its).anyMatch(thread -> thread.getName().equals("EventScannerThread"));
    endpoint.close();
    await()
        .untilAsserted(() ->
            assertThat(its).filteredOn(thread -> !thread.isDaemon()).noneMatch(Thread::isAlive));
  }

  @ParameterizedTest
  @EnumSource(
      value = Transport.class,
      names = {"UDP", "TCP"})
  void manyRequestsAtOnceAllGetTheirOwnAnswer(Transport transport) throws Exception {
    SipEndpoint server =
        endpoints.start(request ->
            request.answer(
                SipResponse.to(request.message(), 200)
                    .withBody("text/plain", request.message().body())));
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    var answers =
        IntStream.range(0, 50)
            .mapToObj(i -> client.send(Endpoints.message("text " + i), to(server, transport)))
            .toList();
    for (int i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i).get(20, TimeUnit.SECONDS).body().text()).isEqualTo("text " + i);
    }
  }

  @Test
  void theSameRequestFromAnotherPortIsAnsweredWhileTheFirstIsStillHandled() throws Exception {
    CountDownLatch bothAnswered = new CountDownLatch(1);
    SipEndpoint server =
        endpoints.start(request -> {
          request.answer(200);
          awaitQuietly(bothAnswered);
        });
    try (RawPeer peer = new RawPeer();
        RawPeer other = new RawPeer()) {
      String options = peer.options("same");
      peer.send(options, server.port());
      assertThat(peer.receive(10_000)).hasValueSatisfying(OK);
      other.send(options, server.port());
      assertThat(other.receive(10_000)).hasValueSatisfying(OK);
    } finally {
      bothAnswered.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aRetransmissionGetsTheSameResponseAndIsHandledOnce() throws Exception {
    SipEndpoint server =
        endpoints.start(request -> {
          received.add(request.message());
          request.answer(200);
        });
    try (RawPeer peer = new RawPeer()) {
      String options = peer.options("same");
      peer.send(options, server.port());
      String first = peer.receive(5_000).orElseThrow();
      peer.send(options, server.port());
      assertThat(peer.receive(5_000)).contains(first);
    }
    assertThat(received).hasSize(1);
    assertThat(server.statistics().of(Count.RETRANSMISSION_ABSORBED)).isEqualTo(1);
  }

  @Test
  void aRequestIsSentAgainUntilItIsAnswered() throws Exception {
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    try (RawPeer peer = new RawPeer()) {
      var answer =
          client.send(
              Endpoints.message("x"),
              new SipFlow(
                  Transport.UDP,
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), peer.port())));
      String first = peer.receive(5_000).orElseThrow();
      String again = peer.receive(5_000).orElseThrow();
      assertThat(again).isEqualTo(first);
      String via = first.lines().filter(line -> line.startsWith("Via")).findFirst().orElseThrow();
      String from = first.lines().filter(line -> line.startsWith("From")).findFirst().orElseThrow();
      String id =
          first.lines().filter(line -> line.startsWith("Call-ID")).findFirst().orElseThrow();
      peer.send(
          String.join(
              "\r\n",
              "SIP/2.0 202 Accepted",
              via,
              from,
              "To: <sip:bob@ims.test>;tag=2",
              id,
              "CSeq: 1 MESSAGE",
              "Content-Length: 0",
              "",
              ""),
          client.port());
      assertThat(answer.get(10, TimeUnit.SECONDS).status()).isEqualTo(202);
    }
  }

  @Test
  void aPeerThatIsNotThereIsATransportError() throws Exception {
    SipEndpoint client = endpoints.start(request -> request.answer(501));
    int free;
    try (var socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    var answer =
        client.send(
            Endpoints.message("x"),
            new SipFlow(
                Transport.TCP, new InetSocketAddress(InetAddress.getLoopbackAddress(), free)));
    assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            SipException.class,
            e -> assertThat(e.reason()).isEqualTo(SipException.Reason.TRANSPORT));
  }
}
