package io.viaduct.sip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.SipStatistics.Count;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.transport.SocketSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SipEndpointTest {
  private static final Consumer<String> OK =
      response -> assertThat(response).startsWith("SIP/2.0 200 ");

  private final List<SipEndpoint> open = new CopyOnWriteArrayList<>();
  private final List<SipRequest> received = new CopyOnWriteArrayList<>();

  private SipEndpoint endpoint(RequestHandler handler) throws IOException {
    SipEndpoint endpoint =
        SipEndpoint.start(
            SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            InstantSource.system(),
            handler);
    open.add(endpoint);
    return endpoint;
  }

  @AfterEach
  void close() {
    open.forEach(SipEndpoint::close);
  }

  private static SipRequest message(String text) {
    return new SipRequest(
            "MESSAGE",
            "sip:bob@ims.test",
            SipHeaders.NONE
                .with("From", "<sip:alice@ims.test>;tag=" + SipEndpoint.token())
                .with("To", "<sip:bob@ims.test>")
                .with("Call-ID", SipEndpoint.token())
                .with("CSeq", "1 MESSAGE")
                .with("Max-Forwards", "70"))
        .withBody("text/plain", SipBody.of(text));
  }

  private static Socket connect(SipEndpoint endpoint) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static SipFlow to(SipEndpoint endpoint, Transport transport) {
    return new SipFlow(
        transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void aRequestReachesTheHandlerAndItsAnswerComesBack(Transport transport) throws Exception {
    SipEndpoint server =
        endpoint(request -> {
          received.add(request.message());
          request.answer(
              SipResponse.to(request.message(), 200).withBody("text/plain", SipBody.of("hi")));
        });
    SipEndpoint client = endpoint(request -> request.answer(501));

    SipResponse response =
        client.send(message("höllo\r\nthere"), to(server, transport)).get(10, TimeUnit.SECONDS);

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
    SipEndpoint endpoint = endpoint(request -> request.answer(200));
    Set<Thread> its = new HashSet<>(Thread.getAllStackTraces().keySet());
    its.removeAll(before);
    assertThat(its).anyMatch(thread -> thread.getName().equals("EventScannerThread"));
    endpoint.close();
    await()
        .untilAsserted(() ->
            assertThat(its).filteredOn(thread -> !thread.isDaemon()).noneMatch(Thread::isAlive));
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void manyRequestsAtOnceAllGetTheirOwnAnswer(Transport transport) throws Exception {
    SipEndpoint server =
        endpoint(request ->
            request.answer(
                SipResponse.to(request.message(), 200)
                    .withBody("text/plain", request.message().body())));
    SipEndpoint client = endpoint(request -> request.answer(501));
    var answers =
        java.util.stream.IntStream.range(0, 50)
            .mapToObj(i -> client.send(message("text " + i), to(server, transport)))
            .toList();
    for (int i = 0; i < answers.size(); i++) {
      assertThat(answers.get(i).get(20, TimeUnit.SECONDS).body().text()).isEqualTo("text " + i);
    }
  }

  @Test
  void theSameRequestFromAnotherPortIsAnsweredWhileTheFirstIsStillHandled() throws Exception {
    CountDownLatch bothAnswered = new CountDownLatch(1);
    SipEndpoint server =
        endpoint(request -> {
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
        endpoint(request -> {
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
    SipEndpoint client = endpoint(request -> request.answer(501));
    try (RawPeer peer = new RawPeer()) {
      var answer =
          client.send(
              message("x"),
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
    SipEndpoint client = endpoint(request -> request.answer(501));
    int free;
    try (var socket = new java.net.ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    var answer =
        client.send(
            message("x"),
            new SipFlow(
                Transport.TCP, new InetSocketAddress(InetAddress.getLoopbackAddress(), free)));
    assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            SipException.class,
            e -> assertThat(e.reason()).isEqualTo(SipException.Reason.TRANSPORT));
  }

  /// The datagram kills the threads of an unguarded stack: a Via comment that ends in a lone
  /// backslash. After sixteen of them the endpoint must still work.
  @Test
  void theViaCommentDenialOfServiceIsRefusedAndTheEndpointKeepsAnswering() throws Exception {
    SipEndpoint server = endpoint(request -> request.answer(200));
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 16; i++) {
        peer.send(
            peer.options("dos" + i).replace(";rport", ";rport (a comment without end\\"),
            server.port());
      }
      await().until(() -> server.statistics().of(Refusal.VIA_BACKSLASH) == 16);
      assertThat(peer.receive(200)).as("nothing is answered to it").isEmpty();
      for (int i = 0; i < 20; i++) {
        peer.send(peer.options("good" + i), server.port());
        assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 OK");
      }
    }
    assertThat(server.statistics().of(Count.REQUEST_RECEIVED)).isEqualTo(20);
  }

  @Test
  void anotherVersionIsAnsweredWith505AndNothingOfTheRequestIsReflected() throws Exception {
    SipEndpoint server = endpoint(request -> request.answer(200));
    try (RawPeer peer = new RawPeer()) {
      peer.send(
          peer.options("v7").replace("SIP/2.0\r\nVia", "SIP/7.0\r\nSubject: mirror me\r\nVia"),
          server.port());
      assertThat(peer.receive(5_000).orElseThrow())
          .startsWith("SIP/2.0 505 ")
          .doesNotContain("mirror me");
      assertThat(server.statistics().of(Refusal.VERSION_NOT_SUPPORTED)).isEqualTo(1);
    }
  }

  @Test
  void twoContentLengthsAreAnsweredWith400() throws Exception {
    SipEndpoint server = endpoint(request -> request.answer(200));
    try (RawPeer peer = new RawPeer()) {
      peer.send(
          peer.options("cl").replace("Content-Length: 0", "Content-Length: 0\r\nl: 5"),
          server.port());
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 400 ");
      assertThat(server.statistics().of(Refusal.DUPLICATE_CONTENT_LENGTH)).isEqualTo(1);
    }
  }

  @Test
  void requestsOverTheAdmissionLimitGet503WithRetryAfter() throws Exception {
    SipEndpointSettings s =
        SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    var release = new java.util.concurrent.CountDownLatch(1);
    SipEndpoint server =
        SipEndpoint.start(
            new SipEndpointSettings(s.sockets(), "", s.guard(), 2, 3, 100, 100, 100),
            InstantSource.fixed(java.time.Instant.EPOCH),
            request -> {
              try {
                release.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              request.answer(200);
            });
    open.add(server);
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 10; i++) {
        peer.send(peer.options("load" + i), server.port());
      }
      for (int i = 0; i < 3; i++) {
        assertThat(peer.receive(5_000).orElseThrow())
            .startsWith("SIP/2.0 503 ")
            .contains("Retry-After: ");
      }
      await().until(() -> server.statistics().of(Refusal.OVERFLOW) == 5);
      assertThat(server.statistics().of(Refusal.OVERLOAD)).isEqualTo(3);
      release.countDown();
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 ");
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 ");
      peer.send(peer.options("load9"), server.port());
      assertThat(peer.receive(5_000).orElseThrow()).startsWith("SIP/2.0 200 ");
    }
  }

  @Test
  void aStreamIsFramedByContentLengthHoweverItIsCut() throws Exception {
    SipEndpoint server =
        endpoint(request -> {
          received.add(request.message());
          request.answer(200);
        });
    String one =
        new String(
            message("first body")
                .withHeaders(
                    message("first body")
                        .withBody("text/plain", SipBody.of("first body"))
                        .headers()
                        .withFirst("Via", "SIP/2.0/TCP 10.0.0.1:5;branch=z9hG4bK1"))
                .encode(),
            StandardCharsets.UTF_8);
    String both = "\r\n\r\n" + one + one.replace("first body", "other body").replace("bK1", "bK2");
    try (Socket socket = connect(server)) {
      socket.setTcpNoDelay(true);
      for (int i = 0; i < both.length(); i += 7) {
        write(socket, both.substring(i, Math.min(i + 7, both.length())));
        socket.getOutputStream().flush();
      }
      await().until(() -> received.size() == 2);
      assertThat(received.stream().map(r -> r.body().text()))
          .containsExactlyInAnyOrder("first body", "other body");
      assertThat(server.statistics().of(Count.KEEP_ALIVE)).isEqualTo(1);
      byte[] pong = socket.getInputStream().readNBytes(2);
      assertThat(pong).containsExactly('\r', '\n');
    }
  }

  @Test
  void aStreamThatLosesItsFramingIsClosed() throws Exception {
    SipEndpoint server = endpoint(request -> request.answer(200));
    try (Socket socket = connect(server)) {
      write(socket, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
    assertThat(server.statistics().of(Refusal.MALFORMED_START_LINE)).isEqualTo(1);
  }

  @Test
  void bytesThatNoHeadMayHoldEndTheStreamBeforeItsHeadIsWhole() throws Exception {
    SipEndpoint server = endpoint(request -> request.answer(200));
    byte[] clientHello = {0x16, 3, 1, 0, (byte) 0xc8, 1, 0, 0, (byte) 0xc4, 3, 3};
    try (Socket socket = connect(server)) {
      socket.getOutputStream().write(clientHello);
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
    assertThat(server.statistics().of(Refusal.CONTROL_CHARACTER)).isEqualTo(1);
    assertThat(server.statistics().refused()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"OPTIONS sip:x@ims.test SIP/2.0\r\nVia: ", "Content-Length: 10\r\n\r\nfour"})
  void aMessageThatDoesNotBecomeWholeInTimeEndsItsStreamHoweverSlowlyItGrows(String end)
      throws Exception {
    SipEndpoint server = impatient();
    String whole =
        new String(
            message("")
                .withHeaders(
                    message("")
                        .headers()
                        .withFirst("Via", "SIP/2.0/TCP 10.0.0.1:5;branch=z9hG4bK1"))
                .encode(),
            StandardCharsets.UTF_8);
    String begun = whole.substring(0, whole.indexOf("Content-Length"));
    try (Socket socket = connect(server)) {
      socket.setTcpNoDelay(true);
      write(socket, (end.startsWith("O") ? end : begun + end));
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
    await().until(() -> server.statistics().of(Refusal.UNFINISHED) == 1);
  }

  @Test
  void aConnectionThatEndsInsideAMessageIsCountedAndOneThatEndsBetweenMessagesIsNot()
      throws Exception {
    SipEndpoint server = endpoint(request -> request.answer(200));
    for (String said : List.of("OPTIONS sip:x@ims.test SIP/2.0\r\n", "\r\n\r\n", "")) {
      try (Socket socket = connect(server)) {
        write(socket, said);
        socket.shutdownOutput();
        socket.getInputStream().readAllBytes();
      }
    }
    await().until(() -> server.statistics().of(Refusal.UNFINISHED) == 1);
    assertThat(server.statistics().refused()).isEqualTo(1);
  }

  private SipEndpoint impatient() throws IOException {
    return limited(64, Duration.ofSeconds(30), Duration.ofMillis(300), 200);
  }

  private SipEndpoint limited(
      int connectionsPerSource, Duration firstMessage, Duration message, int answersPerSource)
      throws IOException {
    SipEndpointSettings usual =
        SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    SocketSettings s = usual.sockets();
    SipEndpoint endpoint =
        SipEndpoint.start(
            new SipEndpointSettings(
                new SocketSettings(
                    s.bind(),
                    0,
                    s.connections(),
                    connectionsPerSource,
                    firstMessage,
                    s.idle(),
                    message,
                    s.connectTimeout()),
                usual.sentBy(),
                usual.guard(),
                usual.transactionsMax(),
                usual.answersPerSecond(),
                answersPerSource,
                usual.remembered(),
                usual.pending()),
            InstantSource.fixed(java.time.Instant.EPOCH),
            request -> {
              if (request.message().callId().startsWith("proved")) {
                request.onSourceProved();
              }
              request.answer(200);
            });
    open.add(endpoint);
    return endpoint;
  }

  @Test
  void oneSourceHoldsNoMoreTcpConnectionsThanItsLimitAndGetsAPlaceBackWhenItClosesOne()
      throws Exception {
    SipEndpoint server = limited(3, Duration.ofSeconds(30), Duration.ofSeconds(30), 200);
    List<Socket> held = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        held.add(halfRequest(server));
      }
      try (Socket refused = connect(server)) {
        assertThat(refused.getInputStream().read()).isEqualTo(-1);
      }
      assertThat(server.statistics().of(Refusal.TOO_MANY_CONNECTIONS_OF_SOURCE)).isEqualTo(1);
      held.removeFirst().close();
      await().until(() -> server.statistics().of(Refusal.UNFINISHED) == 1);
      try (Socket next = connect(server)) {
        write(next, "\r\n\r\n");
        assertThat(next.getInputStream().readNBytes(2)).containsExactly('\r', '\n');
      }
    } finally {
      for (Socket socket : held) {
        socket.close();
      }
    }
  }

  private static Socket halfRequest(SipEndpoint server) throws IOException {
    Socket socket = connect(server);
    write(socket, "\r\n\r\nOPTIONS sip:x");
    socket.getInputStream().readNBytes(2); // the endpoint has it
    return socket;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\r\n\r\n", "OPTIONS sip:x@ims.test SIP/2.0\r\nVia: "})
  void aConnectionThatBringsNoWholeMessageInTimeIsClosed(String said) throws Exception {
    SipEndpoint server = limited(64, Duration.ofMillis(300), Duration.ofSeconds(30), 200);
    try (Socket socket = connect(server)) {
      write(socket, said);
      socket.getInputStream().readAllBytes();
    }
    assertThat(server.statistics().of(Refusal.FIRST_MESSAGE_LATE)).isEqualTo(1);
  }

  @Test
  void aConnectionThatHasBroughtAMessageOutlivesTheTimeForTheFirst() throws Exception {
    SipEndpoint server = limited(64, Duration.ofMillis(300), Duration.ofSeconds(30), 200);
    try (RawPeer peer = new RawPeer();
        Socket patient = connect(server)) {
      String options = peer.options("first").replace("/UDP", "/TCP");
      write(patient, options);
      assertThat(patient.getInputStream().read()).isEqualTo('S');
      try (Socket silent = connect(server)) {
        assertThat(silent.getInputStream().read()).as("its time has passed").isEqualTo(-1);
      }
      String second = peer.options("second").replace("/UDP", "/TCP");
      write(patient, second);
      await().until(() -> server.statistics().of(Count.RESPONSE_SENT) == 2);
    }
    assertThat(server.statistics().of(Refusal.FIRST_MESSAGE_LATE)).isEqualTo(1);
  }

  @Test
  void aSourceThatHasNotProvedToBeThereGetsFewAnswersOverUdp() throws Exception {
    SipEndpoint server = limited(64, Duration.ofSeconds(30), Duration.ofSeconds(30), 2);
    try (RawPeer peer = new RawPeer()) {
      for (int i = 0; i < 40; i++) {
        peer.send(peer.options("flood" + i), server.port());
      }
      await().until(() -> server.statistics().of(Refusal.TOO_MANY_ANSWERS) == 30);
      assertThat(server.statistics().of(Count.RESPONSE_SENT)).isEqualTo(10);
      peer.send(peer.options("flood1"), server.port());
      await().until(() -> server.statistics().of(Count.RETRANSMISSION_ABSORBED) == 1);
      assertThat(server.statistics().of(Refusal.TOO_MANY_ANSWERS))
          .as("a remembered answer counts too")
          .isEqualTo(31);
      peer.send(peer.options("proved"), server.port());
      await().until(() -> server.statistics().of(Count.RESPONSE_SENT) == 11);
      peer.send(peer.options("more"), server.port());
      await().until(() -> server.statistics().of(Count.RESPONSE_SENT) == 12);
    }
  }

  @Test
  void aResponseToNothingIsCountedAsStray() throws Exception {
    SipEndpoint client = endpoint(request -> request.answer(501));
    try (RawPeer peer = new RawPeer()) {
      peer.send(
          peer.options("stray").replace("OPTIONS sip:server@ims.test SIP/2.0", "SIP/2.0 200 OK"),
          client.port());
      await().until(() -> client.statistics().of(Refusal.STRAY_RESPONSE) == 1);
    }
  }
}
