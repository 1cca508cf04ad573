package io.viaduct.sip.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestHandler;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.endpoint.SipStatistics.Count;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.transport.SocketSettings;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tests TCP connections: framing, limits, and times.
@Timeout(60)
class SipEndpointStreamsTest {
  private final List<SipRequest> received = new CopyOnWriteArrayList<>();
  @RegisterExtension private final Endpoints endpoints = new Endpoints();

  @Test
  void aStreamIsFramedByContentLengthHoweverItIsCut() throws Exception {
    SipEndpoint server =
        endpoints.start(request -> {
          received.add(request.message());
          request.answer(200);
        });
    String one =
        new String(
            Endpoints.message("first body")
                .withHeaders(
                    Endpoints.message("first body")
                        .withBody("text/plain", SipBody.of("first body"))
                        .headers()
                        .withFirst("Via", "SIP/2.0/TCP 10.0.0.1:5;branch=z9hG4bK1"))
                .encode(),
            StandardCharsets.UTF_8);
    String both = "\r\n\r\n" + one + one.replace("first body", "other body").replace("bK1", "bK2");
    try (Socket socket = Endpoints.connect(server)) {
      socket.setTcpNoDelay(true);
      for (int i = 0; i < both.length(); i += 7) {
        Endpoints.write(socket, both.substring(i, Math.min(i + 7, both.length())));
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
  void anIdleConnectionStaysOpenWhileItIsNeeded() throws Exception {
    SipEndpointSettings usual = Endpoints.usual();
    SocketSettings s = usual.sockets();
    AtomicInteger asked = new AtomicInteger();
    AtomicBoolean isNeeded = new AtomicBoolean(true);
    SipEndpoint server =
        endpoints.start(
            new SipEndpointSettings(
                new SocketSettings(
                    s.bind(),
                    0,
                    s.connections(),
                    s.connectionsPerSource(),
                    Duration.ofSeconds(30),
                    Duration.ofMillis(100),
                    s.message(),
                    s.connectTimeout()),
                usual.sentBy(),
                usual.guard(),
                usual.transactionsMax(),
                usual.answersPerSecond(),
                usual.answersPerSource(),
                usual.remembered(),
                usual.pending()),
            InstantSource.system(),
            new RequestHandler() {
              @Override
              public void onRequest(IncomingRequest request) {
                request.answer(200);
              }

              @Override
              public boolean needs(SipFlow connection) {
                asked.incrementAndGet();
                return isNeeded.get();
              }
            });
    try (Socket socket = Endpoints.connect(server)) {
      await().until(() -> asked.get() >= 3);
      assertThat(server.connections()).isEqualTo(1);
      isNeeded.set(false);
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void aStreamThatLosesItsFramingIsClosed() throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    try (Socket socket = Endpoints.connect(server)) {
      Endpoints.write(socket, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
    assertThat(server.statistics().of(Refusal.MALFORMED_START_LINE)).isEqualTo(1);
  }

  @Test
  void bytesThatNoHeadMayHoldEndTheStreamBeforeItsHeadIsWhole() throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    byte[] clientHello = {0x16, 3, 1, 0, (byte) 0xc8, 1, 0, 0, (byte) 0xc4, 3, 3};
    try (Socket socket = Endpoints.connect(server)) {
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
    SipEndpoint server = endpoints.limited(64, Duration.ofSeconds(30), Duration.ofMillis(300), 200);
    String whole =
        new String(
            Endpoints.message("")
                .withHeaders(
                    Endpoints.message("")
                        .headers()
                        .withFirst("Via", "SIP/2.0/TCP 10.0.0.1:5;branch=z9hG4bK1"))
                .encode(),
            StandardCharsets.UTF_8);
    String begun = whole.substring(0, whole.indexOf("Content-Length"));
    try (Socket socket = Endpoints.connect(server)) {
      socket.setTcpNoDelay(true);
      Endpoints.write(socket, (end.startsWith("O") ? end : begun + end));
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
    await().until(() -> server.statistics().of(Refusal.UNFINISHED) == 1);
  }

  @Test
  void aConnectionThatEndsInsideAMessageIsCountedAndOneThatEndsBetweenMessagesIsNot()
      throws Exception {
    SipEndpoint server = endpoints.start(request -> request.answer(200));
    for (String said : List.of("OPTIONS sip:x@ims.test SIP/2.0\r\n", "\r\n\r\n", "")) {
      try (Socket socket = Endpoints.connect(server)) {
        Endpoints.write(socket, said);
        socket.shutdownOutput();
        socket.getInputStream().readAllBytes();
      }
    }
    await().until(() -> server.statistics().of(Refusal.UNFINISHED) == 1);
    assertThat(server.statistics().refused()).isEqualTo(1);
  }

  @Test
  void oneSourceHoldsNoMoreTcpConnectionsThanItsLimitAndGetsAPlaceBackWhenItClosesOne()
      throws Exception {
    SipEndpoint server = endpoints.limited(3, Duration.ofSeconds(30), Duration.ofSeconds(30), 200);
    List<Socket> held = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        held.add(halfRequest(server));
      }
      try (Socket refused = Endpoints.connect(server)) {
        assertThat(refused.getInputStream().read()).isEqualTo(-1);
      }
      assertThat(server.statistics().of(Refusal.TOO_MANY_CONNECTIONS_OF_SOURCE)).isEqualTo(1);
      held.removeFirst().close();
      await().until(() -> server.statistics().of(Refusal.UNFINISHED) == 1);
      try (Socket next = Endpoints.connect(server)) {
        Endpoints.write(next, "\r\n\r\n");
        assertThat(next.getInputStream().readNBytes(2)).containsExactly('\r', '\n');
      }
    } finally {
      for (Socket socket : held) {
        socket.close();
      }
    }
  }

  private static Socket halfRequest(SipEndpoint server) throws IOException {
    Socket socket = Endpoints.connect(server);
    Endpoints.write(socket, "\r\n\r\nOPTIONS sip:x");
    socket.getInputStream().readNBytes(2); // the endpoint has it
    return socket;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\r\n\r\n", "OPTIONS sip:x@ims.test SIP/2.0\r\nVia: "})
  void aConnectionThatBringsNoWholeMessageInTimeIsClosed(String said) throws Exception {
    SipEndpoint server = endpoints.limited(64, Duration.ofMillis(300), Duration.ofSeconds(30), 200);
    try (Socket socket = Endpoints.connect(server)) {
      Endpoints.write(socket, said);
      socket.getInputStream().readAllBytes();
    }
    assertThat(server.statistics().of(Refusal.FIRST_MESSAGE_LATE)).isEqualTo(1);
  }

  @Test
  void aConnectionThatHasBroughtAMessageOutlivesTheTimeForTheFirst() throws Exception {
    SipEndpoint server = endpoints.limited(64, Duration.ofMillis(300), Duration.ofSeconds(30), 200);
    try (RawPeer peer = new RawPeer();
        Socket patient = Endpoints.connect(server)) {
      String options = peer.options("first").replace("/UDP", "/TCP");
      Endpoints.write(patient, options);
      assertThat(patient.getInputStream().read()).isEqualTo('S');
      try (Socket silent = Endpoints.connect(server)) {
        assertThat(silent.getInputStream().read()).as("its time has passed").isEqualTo(-1);
      }
      String second = peer.options("second").replace("/UDP", "/TCP");
      Endpoints.write(patient, second);
      await().until(() -> server.statistics().of(Count.RESPONSE_SENT) == 2);
    }
    assertThat(server.statistics().of(Refusal.FIRST_MESSAGE_LATE)).isEqualTo(1);
  }
}
