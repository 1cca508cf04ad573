package io.viaduct.sip.endpoint;

import io.viaduct.sip.RequestHandler;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.transport.SocketSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// The endpoints of one test, which are closed after it, and what tests say to them.
final class Endpoints implements AfterEachCallback {
  private final List<SipEndpoint> open = new CopyOnWriteArrayList<>();

  /// Starts an endpoint with the settings of a client.
  SipEndpoint start(RequestHandler handler) throws IOException {
    return start(usual(), InstantSource.system(), handler);
  }

  SipEndpoint start(SipEndpointSettings settings, InstantSource clock, RequestHandler handler)
      throws IOException {
    SipEndpoint endpoint = SipEndpoint.start(settings, clock, handler);
    open.add(endpoint);
    return endpoint;
  }

  static SipEndpointSettings usual() {
    return SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  static SipRequest message(String text) {
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

  static Socket connect(SipEndpoint endpoint) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), endpoint.port());
  }

  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
  }

  /// Starts an endpoint with limits, and a clock that stands still. A request whose Call-ID begins
  /// with `proved` proves its source.
  SipEndpoint limited(
      int connectionsPerSource, Duration firstMessage, Duration message, int answersPerSource)
      throws IOException {
    SipEndpointSettings usual = usual();
    SocketSettings s = usual.sockets();
    return start(
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
        InstantSource.fixed(Instant.EPOCH),
        request -> {
          if (request.message().callId().startsWith("proved")) {
            request.onSourceProved();
          }
          request.answer(200);
        });
  }

  @Override
  public void afterEach(ExtensionContext context) {
    open.forEach(SipEndpoint::close);
  }
}
