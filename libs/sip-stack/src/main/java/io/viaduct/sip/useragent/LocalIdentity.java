package io.viaduct.sip.useragent;

import io.viaduct.sip.HostPort;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import java.util.List;
import java.util.UUID;

/// Builds the common part of all requests of this user agent. The instance id is new at each start.
/// RFC 5626 section 4.1 wants a stable one, but a registrar keeps one binding per Contact either
/// way.
final class LocalIdentity {
  private final UserAgentSettings settings;
  private final RequestSender endpoint;
  private final List<String> methods;
  private final String instance = UUID.randomUUID().toString();
  private final ServiceRoute serviceRoute = new ServiceRoute();

  /// Makes the identity of one user agent.
  ///
  /// @param methods that this user agent serves
  LocalIdentity(UserAgentSettings settings, RequestSender endpoint, List<String> methods) {
    this.settings = settings;
    this.endpoint = endpoint;
    this.methods = methods;
  }

  /// Returns the Contact value: the address of this user agent as seen locally, and its methods
  /// (RFC 3840).
  String contact(SipFlow flow) {
    HostPort here = endpoint.sentBy(flow);
    String transport =
        switch (flow.transport()) {
          case UDP -> "";
          case TCP, TLS, WS, WSS -> ";transport=" + flow.transport().parameter();
        };
    return "<sip:%s@%s%s>;+sip.instance=\"<urn:uuid:%s>\";methods=\"%s\""
        .formatted(settings.user(), here, transport, instance, String.join(",", methods));
  }

  /// Returns the route of this user's requests other than REGISTER.
  ServiceRoute serviceRoute() {
    return serviceRoute;
  }

  /// Builds a request of this user.
  SipRequest request(
      String method, String uri, String to, String fromTag, String callId, long cseq) {
    SipHeaders headers =
        SipHeaders.NONE
            .with("Max-Forwards", "70")
            .with("From", "<" + settings.addressOfRecord() + ">;tag=" + fromTag)
            .with("To", to)
            .with("Call-ID", callId)
            .with("CSeq", cseq + " " + method)
            .with("User-Agent", "viaduct");
    return new SipRequest(method, uri, headers);
  }
}
