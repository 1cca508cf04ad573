package io.viaduct.bridge.registrar;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.digest.DigestAlgorithm;
import io.viaduct.sip.digest.DigestClient;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// A device of a user: it registers with given Contact parameters, and answers with a given status.
final class Contact implements AutoCloseable {
  /// The requests that it received.
  final List<SipRequest> received = new CopyOnWriteArrayList<>();

  private final List<IncomingRequest> unanswered = new CopyOnWriteArrayList<>();
  private final int status; // 0: never
  private final SipEndpoint endpoint;

  /// @param status status of its answers; 0: it does not answer before [#answerLate]
  Contact(int status) throws IOException {
    this.status = status;
    this.endpoint =
        SipEndpoint.start(
            SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
            InstantSource.system(),
            this::onRequest);
  }

  private void onRequest(IncomingRequest request) {
    received.add(request.message());
    if (status != 0) {
      request.answer(SipResponse.to(request.message(), status));
    } else {
      unanswered.add(request);
    }
  }

  /// Answers the requests that it has not answered.
  void answerLate(int late) {
    unanswered.forEach(request -> request.answer(SipResponse.to(request.message(), late)));
  }

  /// @param parameters of Contact, such as `;q=0.5`
  void register(String user, int registrarPort, String parameters) throws Exception {
    register(user, registrarPort, parameters, "en");
  }

  /// @param languages value of Accept-Language
  void register(String user, int registrarPort, String parameters, String languages)
      throws Exception {
    DigestClient digest = new DigestClient(user, user + "-secret", Set.of(DigestAlgorithm.SHA_256));
    SipFlow to =
        new SipFlow(
            Transport.UDP, new InetSocketAddress(InetAddress.getLoopbackAddress(), registrarPort));
    String callId = SipEndpoint.token();
    SipResponse answer = null;
    for (int cseq = 1; cseq <= 2; cseq++) {
      SipRequest register =
          new SipRequest(
              "REGISTER",
              "sip:ims.test",
              SipHeaders.NONE
                  .with("Max-Forwards", "70")
                  // The configuration offers only MD5 to user agents without a User-Agent header.
                  .with("User-Agent", "viaduct")
                  .with("From", "<sip:" + user + "@ims.test>;tag=1")
                  .with("To", "<sip:" + user + "@ims.test>")
                  .with("Call-ID", callId)
                  .with("CSeq", cseq + " REGISTER")
                  .with(
                      "Contact",
                      "<sip:%s@127.0.0.1:%d>%s".formatted(user, endpoint.port(), parameters))
                  .with("Accept-Language", languages)
                  .with("Expires", "600"));
      answer = endpoint.send(digest.authorize(register), to).get(30, TimeUnit.SECONDS);
      digest.acceptChallenge(answer);
    }
    assertThat(answer.status()).isEqualTo(200);
  }

  /// Sends a request of the user with credentials, and returns the answer.
  ///
  /// @param more header fields besides those of every request
  SipResponse ask(
      String user, int bridgePort, String method, String uri, SipHeaders more, String body)
      throws Exception {
    return ask(user, bridgePort, method, uri, uri, more, body);
  }

  /// @param to address in To
  SipResponse ask(
      String user,
      int bridgePort,
      String method,
      String uri,
      String to,
      SipHeaders more,
      String body)
      throws Exception {
    DigestClient digest = new DigestClient(user, user + "-secret", Set.of(DigestAlgorithm.SHA_256));
    SipFlow bridge =
        new SipFlow(
            Transport.UDP, new InetSocketAddress(InetAddress.getLoopbackAddress(), bridgePort));
    String callId = SipEndpoint.token();
    SipResponse answer = null;
    for (int cseq = 1; cseq <= 2; cseq++) {
      SipHeaders headers =
          SipHeaders.NONE
              .with("Max-Forwards", "70")
              .with("User-Agent", "viaduct")
              .with("From", "<sip:" + user + "@ims.test>;tag=1")
              .with("To", "<" + to + ">")
              .with("Call-ID", callId)
              .with("CSeq", cseq + " " + method);
      for (SipHeader each : more.list()) {
        headers = headers.with(each.name(), each.value());
      }
      SipRequest request = new SipRequest(method, uri, headers);
      if (!body.isEmpty()) {
        request = request.withBody("text/plain", SipBody.of(body));
      }
      answer = endpoint.send(digest.authorize(request), bridge).get(30, TimeUnit.SECONDS);
      if (!digest.acceptChallenge(answer)) {
        return answer;
      }
    }
    return answer;
  }

  int port() {
    return endpoint.port();
  }

  @Override
  public void close() {
    endpoint.close();
  }
}
