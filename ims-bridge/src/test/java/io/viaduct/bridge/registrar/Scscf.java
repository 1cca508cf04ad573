package io.viaduct.bridge.registrar;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeader;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.Transport;
import io.viaduct.sip.endpoint.SipEndpoint;
import io.viaduct.sip.endpoint.SipEndpointSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/// A server of a core with an address of its own: it sends requests as an S-CSCF does, and accepts
/// all that it receives.
final class Scscf implements AutoCloseable {
  /// The requests that it received.
  final List<SipRequest> received = new CopyOnWriteArrayList<>();

  private final SipEndpoint endpoint;
  private final Transport transport;
  private SipFlow bridge;

  /// @param transport by which it sends. Over TCP it sends from 127.0.0.1 whatever its address is
  Scscf(String address, Transport transport) throws IOException {
    this.transport = transport;
    endpoint =
        SipEndpoint.start(
            SipEndpointSettings.client(new InetSocketAddress(InetAddress.ofLiteral(address), 0)),
            InstantSource.system(),
            this::onRequest);
    bridge = flow(1);
  }

  private void onRequest(IncomingRequest request) {
    received.add(request.message());
    request.answer(200);
  }

  /// Sets the port of the bridge.
  void towards(int port) {
    bridge = flow(port);
  }

  private SipFlow flow(int port) {
    return new SipFlow(transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  int port() {
    return endpoint.port();
  }

  /// Sends a third-party REGISTER as an S-CSCF does (TS 24.229 section 5.4.1.7).
  SipResponse register(String identity, int expires, String... more) throws Exception {
    return send(thirdParty(identity, expires, more));
  }

  static SipRequest thirdParty(String identity, int expires, String... more) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "10")
            .with("From", "<sip:scscf.ims.test>;tag=" + SipEndpoint.token())
            .with("To", "<" + identity + ">")
            .with("Call-ID", SipEndpoint.token())
            .with("CSeq", "10 REGISTER")
            .with("Event", "registration")
            .with("Expires", Integer.toString(expires))
            .with("Contact", "<sip:scscf.ims.test>");
    return new SipRequest("REGISTER", "sip:as.ims.test", with(headers, more))
        .withBody(
            "application/3gpp-ims+xml",
            SipBody.of("<ims-3gpp version=\"1\"><service-info>x</service-info></ims-3gpp>"));
  }

  /// Returns a request of a user that comes by this server.
  ///
  /// @param from user part of From
  static SipRequest request(String method, String uri, String from, String... more) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "69")
            .with("From", "<sip:" + from + "@ims.test>;tag=" + SipEndpoint.token())
            .with("To", "<" + uri + ">")
            .with("Call-ID", SipEndpoint.token())
            .with("CSeq", "1 " + method)
            .with("Contact", "<sip:" + from + "@192.0.2.7>");
    return new SipRequest(method, uri, with(headers, more));
  }

  /// @param more names and values of header fields in turn; a name that is there already is
  ///   replaced
  private static SipHeaders with(SipHeaders headers, String... more) {
    SipHeaders all = headers;
    for (int i = 0; i < more.length; i += 2) {
      all = all.without(more[i]);
    }
    for (int i = 0; i < more.length; i += 2) {
      SipHeader each = new SipHeader(more[i], more[i + 1]);
      all = all.with(each.name(), each.value());
    }
    return all;
  }

  SipResponse send(SipRequest request) throws Exception {
    return endpoint.send(request, bridge).get(30, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    endpoint.close();
  }
}
