package io.viaduct.sip.useragent;

import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipBody;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import io.viaduct.sip.endpoint.SipEndpoint;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/// The dialog of a subscription to event package `snapt-session` (RFC 6665). Confined to the user
/// agent's thread.
final class SessionSubscription {
  static final String EVENT = "snapt-session";
  private static final String JSON = "application/json";

  private final UserAgentSettings settings;
  private final LocalIdentity identity;
  private final String body;
  private String callId = "";
  private String localTag = "";
  private String remoteTag = "";
  private String target = "";
  private List<String> routes = List.of(); // nearest hop first
  private boolean isEstablished;
  private long cseq;
  private long remoteCseq = -1;

  SessionSubscription(UserAgentSettings settings, LocalIdentity identity, byte[] deviceKey) {
    this.settings = settings;
    this.identity = identity;
    this.body =
        "{\"deviceKey\":\""
            + Base64.getUrlEncoder().withoutPadding().encodeToString(deviceKey)
            + "\"}";
    newDialog();
  }

  /// Forgets the dialog, so that the next SUBSCRIBE makes a new one.
  void newDialog() {
    callId = SipEndpoint.token();
    localTag = SipEndpoint.token();
    remoteTag = "";
    target = "sip:snapt@" + settings.domain();
    routes = List.of();
    isEstablished = false;
    remoteCseq = -1;
  }

  SipRequest subscribe(SipFlow flow, long expiresSeconds) {
    String to =
        "<sip:snapt@" + settings.domain() + ">" + (remoteTag.isEmpty() ? "" : ";tag=" + remoteTag);
    return ServiceRoute.routed(
            identity.request("SUBSCRIBE", target, to, localTag, callId, ++cseq),
            isEstablished ? routes : identity.serviceRoute().hops(flow))
        .with("Contact", identity.contact(flow))
        .with("Event", EVENT)
        .with("Accept", JSON)
        .with("Expires", Long.toString(expiresSeconds))
        .withBody(JSON, SipBody.of(body));
  }

  /// Completes the dialog with the notifier's answer. The first one has the route set (RFC 3261
  /// section 12.1.2).
  ///
  /// @throws IllegalArgumentException if a request cannot be sent to its Contact by its
  ///   Record-Route
  void established(SipResponse response) {
    Optional<String> contact = response.headers().first("Contact");
    if (contact.isPresent()) {
      target = NameAddress.parse(contact.get()).sipUri().toString();
    }
    if (!isEstablished) {
      routes = ServiceRoute.routes(response.headers().values("Record-Route").reversed());
      isEstablished = true;
    }
    remoteTag = response.to().tag();
  }

  /// Returns true if a NOTIFY belongs to this dialog. The NOTIFY may come before the answer to
  /// SUBSCRIBE.
  boolean owns(SipRequest notify) {
    String from = notify.from().tag();
    boolean ours =
        notify.callId().equals(callId)
            && notify.to().tag().equals(localTag)
            && (remoteTag.isEmpty() || remoteTag.equals(from));
    if (ours && remoteTag.isEmpty()) {
      remoteTag = from;
    }
    return ours;
  }

  /// Returns true if a NOTIFY is newer than the last one (RFC 3261 section 12.2.2).
  boolean isInOrder(SipRequest notify) {
    long number = notify.cseq().number();
    boolean newer = number > remoteCseq;
    remoteCseq = Math.max(remoteCseq, number);
    return newer;
  }
}
