package io.viaduct.sip.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.SelfSigned;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.Transport;
import io.viaduct.sip.guard.Refusal;
import io.viaduct.sip.transport.SocketSettings.StreamListener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// TLS and WebSocket beside UDP and TCP, over IPv4 and IPv6, with the JDK's own clients.
@Timeout(60)
class SipEndpointTransportsTest {
  @RegisterExtension private final Endpoints endpoints = new Endpoints();
  private final List<IncomingRequest> received = new CopyOnWriteArrayList<>();

  private SipEndpoint server(String address) throws IOException {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.ofLiteral(address), 0);
    KeyPair pair = Ed25519.generate();
    SslContext tls = SslContextBuilder.forServer(pair.getPrivate(), SelfSigned.of(pair)).build();
    SipEndpointSettings usual = SipEndpointSettings.client(bind);
    return endpoints.start(
        new SipEndpointSettings(
            usual
                .sockets()
                .withListeners(
                    List.of(
                        new StreamListener(Transport.TLS, bind, tls),
                        new StreamListener(Transport.WS, bind, null),
                        new StreamListener(Transport.WSS, bind, tls))),
            usual.sentBy(),
            usual.guard(),
            usual.transactionsMax(),
            usual.answersPerSecond(),
            usual.answersPerSource(),
            usual.remembered(),
            usual.pending()),
        InstantSource.system(),
        request -> {
          received.add(request);
          request.answer(200);
        });
  }

  private static String message(Transport transport) {
    return new String(
        Endpoints.message("hello")
            .withHeaders(
                Endpoints.message("hello")
                    .headers()
                    .withFirst(
                        "Via",
                        "SIP/2.0/%s client.invalid;branch=z9hG4bK%s"
                            .formatted(transport, SipEndpoint.token())))
            .encode(),
        StandardCharsets.UTF_8);
  }

  private static SSLContext trusting() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(
        null,
        new TrustManager[] {
          // An extended one decides about the name too: the certificate has none.
          new X509ExtendedTrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {}

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type, Socket on) {}

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine on) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, Socket on) {}

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine on) {}

            @Override
            public X509Certificate[] getAcceptedIssuers() {
              return new X509Certificate[0];
            }
          }
        },
        null);
    return context;
  }

  private static String host(String address) {
    return address.indexOf(':') < 0 ? address : "[" + address + "]";
  }

  /// A WebSocket client that collects what it reads.
  private static final class Browser implements WebSocket.Listener {
    final BlockingQueue<String> read = new LinkedBlockingQueue<>();
    private final StringBuilder text = new StringBuilder();

    WebSocket open(Transport transport, String address, int port, String subProtocol)
        throws Exception {
      return HttpClient.newBuilder()
          .sslContext(trusting())
          .build()
          .newWebSocketBuilder()
          .subprotocols(subProtocol)
          .buildAsync(
              URI.create("%s://%s:%d/".formatted(transport.parameter(), host(address), port)), this)
          .get(20, TimeUnit.SECONDS);
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        read.add(text.toString());
        text.setLength(0);
      }
      socket.request(1);
      return null;
    }
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1", "::1"})
  void aMessageComesAndIsAnsweredOverTls(String address) throws Exception {
    SipEndpoint server = server(address);
    try (Socket socket =
        trusting().getSocketFactory().createSocket(address, server.port(Transport.TLS))) {
      Endpoints.write(socket, message(Transport.TLS));
      byte[] answer = socket.getInputStream().readNBytes(11);
      assertThat(new String(answer, StandardCharsets.UTF_8)).isEqualTo("SIP/2.0 200");
      assertThat(received.getFirst().flow().transport()).isEqualTo(Transport.TLS);
      assertThat(server.isConnected(received.getFirst().flow())).isTrue();
      assertThat(server.connections()).isEqualTo(1);
    }
    await().until(() -> server.connections() == 0);
  }

  @ParameterizedTest
  @CsvSource({"WS, 127.0.0.1", "WS, ::1", "WSS, 127.0.0.1"})
  void aBrowserSendsAndReceivesOnOneWebSocket(Transport transport, String address)
      throws Exception {
    SipEndpoint server = server(address);
    Browser browser = new Browser();
    WebSocket socket = browser.open(transport, address, server.port(transport), "sip");
    socket.sendText(message(transport), true).get(20, TimeUnit.SECONDS);
    assertThat(browser.read.poll(20, TimeUnit.SECONDS)).startsWith("SIP/2.0 200");
    socket
        .sendBinary(ByteBuffer.wrap(message(transport).getBytes(StandardCharsets.UTF_8)), true)
        .get(20, TimeUnit.SECONDS);
    assertThat(browser.read.poll(20, TimeUnit.SECONDS)).startsWith("SIP/2.0 200");

    SipFlow flow = received.getFirst().flow();
    var answer = server.send(Endpoints.message("to the browser"), flow);
    String request = browser.read.poll(20, TimeUnit.SECONDS);
    assertThat(request)
        .startsWith("MESSAGE sip:bob@ims.test SIP/2.0")
        .contains("Via: SIP/2.0/" + transport);
    String ok =
        request
            .substring(0, request.indexOf("\r\n\r\n"))
            .replaceFirst("MESSAGE [^\r]*", "SIP/2.0 200 OK")
            .replaceFirst("Content-Length: \\d+", "Content-Length: 0")
            .replaceFirst("(To: <[^>]*>)", "$1;tag=b");
    socket.sendText(ok + "\r\n\r\n", true).get(20, TimeUnit.SECONDS);
    assertThat(answer.get(20, TimeUnit.SECONDS).status()).isEqualTo(200);
    socket.abort();
  }

  @Test
  void aBodyOnAWebSocketMayHave32KibAndADatagram8() throws Exception {
    SipEndpoint server = server("127.0.0.1");
    Browser browser = new Browser();
    WebSocket socket = browser.open(Transport.WS, "127.0.0.1", server.port(Transport.WS), "sip");
    socket.sendText(longMessage(Transport.WS, 32_768), true).get(20, TimeUnit.SECONDS);
    assertThat(browser.read.poll(20, TimeUnit.SECONDS)).startsWith("SIP/2.0 200");
    assertThat(received.getFirst().message().body().bytes()).hasSize(32_768);
    try (RawPeer peer = new RawPeer()) {
      peer.send(longMessage(Transport.UDP, 8_193).replace("branch", "rport;branch"), server.port());
      assertThat(peer.receive(20_000).orElseThrow()).startsWith("SIP/2.0 413 ");
    }
    socket.sendText(longMessage(Transport.WS, 32_769), true).get(20, TimeUnit.SECONDS);
    assertThat(browser.read.poll(20, TimeUnit.SECONDS)).startsWith("SIP/2.0 413 ");
  }

  private static String longMessage(Transport transport, int bytes) {
    return message(transport)
        .replace("Content-Length: 5\r\n\r\nhello", "Content-Length: " + bytes + "\r\n\r\n")
        .concat("x".repeat(bytes));
  }

  @Test
  void aConnectionThatIsGoneIsNotOpenedByUs() throws Exception {
    SipEndpoint server = server("127.0.0.1");
    SipFlow gone =
        new SipFlow(Transport.TLS, new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));
    assertThatThrownBy(() -> server.send(Endpoints.message("x"), gone).get(20, TimeUnit.SECONDS))
        .hasMessageContaining("cannot send MESSAGE");
  }

  @Test
  void anotherSubProtocolAndABrokenMessageEndTheConnectionAndAreCounted() throws Exception {
    SipEndpoint server = server("127.0.0.1");
    assertThatThrownBy(
            () -> new Browser().open(Transport.WS, "127.0.0.1", server.port(Transport.WS), "chat"))
        .isInstanceOf(Exception.class);
    assertThat(server.statistics().of(Refusal.NO_SIP_WEB_SOCKET)).isEqualTo(1);
    Browser browser = new Browser();
    WebSocket socket = browser.open(Transport.WS, "127.0.0.1", server.port(Transport.WS), "sip");
    socket.sendText("GET / HTTP/1.1\r\n\r\n", true).get(20, TimeUnit.SECONDS);
    await().until(() -> server.connections() == 0);
    assertThat(server.statistics().of(Refusal.MALFORMED_START_LINE)).isEqualTo(1);
  }

  @Test
  void aClientWithoutTlsIsCountedAndClosed() throws Exception {
    SipEndpoint server = server("127.0.0.1");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port(Transport.TLS))) {
      Endpoints.write(socket, message(Transport.TCP));
      await().until(() -> server.statistics().of(Refusal.TLS_HANDSHAKE_FAILED) == 1);
    } catch (SSLException e) {
      throw new AssertionError(e);
    }
    await().until(() -> server.connections() == 0);
    assertThat(received).isEmpty();
  }
}
