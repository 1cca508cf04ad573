package io.viaduct.sip.useragent;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import io.viaduct.sip.endpoint.SipStatistics;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/// A registrar over real sockets that accepts every user and keeps bindings in memory. It can go
/// away and come back on the same port without them.
final class TestRegistrar implements AutoCloseable {
  private final Map<String, String> bindings = new ConcurrentHashMap<>();
  private final boolean showsBindings;
  private SipEndpoint endpoint;

  /// The accepted requests: `REGISTER`, `SUBSCRIBE`, or `fetch` for a REGISTER without Contact.
  final Queue<String> accepted = new ConcurrentLinkedQueue<>();

  /// Opens the registrar.
  ///
  /// @param showsBindings true if answers list the bindings, as RFC 3261 section 10.3 asks
  TestRegistrar(boolean showsBindings) throws IOException {
    this.showsBindings = showsBindings;
    endpoint = listen(0);
  }

  private SipEndpoint listen(int port) throws IOException {
    return SipEndpoint.start(
        SipEndpointSettings.client(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
        InstantSource.system(),
        this::onRequest);
  }

  int port() {
    return endpoint.port();
  }

  long count(String what) {
    return accepted.stream().filter(what::equals).count();
  }

  long stunAnswers() {
    return endpoint.statistics().of(SipStatistics.Count.STUN_ANSWERED);
  }

  /// Loses all bindings, as in a crash, and refuses connections.
  void goAway() {
    endpoint.close();
    bindings.clear();
  }

  void comeBack() throws IOException {
    endpoint = listen(endpoint.port());
  }

  private void onRequest(IncomingRequest request) {
    SipRequest message = request.message();
    switch (message.method()) {
      case "REGISTER" -> onRegister(request);
      case "SUBSCRIBE" -> onSubscribe(request);
      case "MESSAGE" ->
          request.answer(
              SipResponse.to(message, 200)
                  .with("Timestamp", message.headers().require("Timestamp")));
      default -> request.answer(200); // an OPTIONS too: a server's answer alone must not count
    }
  }

  private void onRegister(IncomingRequest request) {
    SipRequest message = request.message();
    var contact = message.headers().first("Contact");
    contact.ifPresent(value -> bindings.put(NameAddress.parse(value).uri(), value));
    accepted.add(contact.isPresent() ? "REGISTER" : "fetch");
    SipResponse answer = SipResponse.to(message, 200).with("Expires", "600");
    if (showsBindings) {
      for (String uri : bindings.keySet()) {
        answer = answer.with("Contact", "<" + uri + ">;expires=600");
      }
    }
    request.answer(answer);
  }

  private void onSubscribe(IncomingRequest request) {
    if (bindings.isEmpty() || !request.message().to().tag().isEmpty()) {
      request.answer(481); // no dialog survives a crash
      return;
    }
    accepted.add("SUBSCRIBE");
    request.answer(
        SipResponse.to(request.message(), 200)
            .withToTag(SipEndpoint.token())
            .with("Expires", "600"));
  }

  @Override
  public void close() {
    endpoint.close();
  }
}
