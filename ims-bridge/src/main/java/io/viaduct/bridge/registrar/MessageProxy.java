package io.viaduct.bridge.registrar;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Passes a MESSAGE (RFC 3428) from a user to the contacts of another user, and returns the best
/// response (RFC 3261 section 16; [MessageFork]). From must be the authenticated user.
public final class MessageProxy {
  // A request of RFC 2543 leaves with Max-Forwards 70 (RFC 3261 section 16.6, step 3).
  private static final int HOPS_UNTOLD = 71;

  private final Authentication authentication;
  private final Subscribers subscribers;
  private final LocationService locations;
  private final Gruus gruus;
  private final SipMeters meters;
  private final Duration patience;
  private final InstantSource clock;

  /// @param patience longest wait for one contact. Two such waits must be shorter than the sender's
  ///   transaction timeout, 32 s
  public MessageProxy(
      Authentication authentication,
      Subscribers subscribers,
      LocationService locations,
      Gruus gruus,
      SipMeters meters,
      Duration patience,
      InstantSource clock) {
    this.authentication = authentication;
    this.subscribers = subscribers;
    this.locations = locations;
    this.gruus = gruus;
    this.meters = meters;
    this.patience = patience;
    this.clock = clock;
  }

  void onMessage(IncomingRequest request, RequestSender endpoint) {
    SipRequest message = request.message();
    if (authentication.asProxy(request, message.from()).isEmpty()) {
      return;
    }
    Optional<Gruus.Target> agent = gruus.target(message.uri());
    Optional<String> recipient =
        agent
            .map(Gruus.Target::user)
            .or(() -> authentication.localUser(new NameAddress(message.uri(), java.util.Map.of())));
    if (recipient.isEmpty() || !subscribers.contains(recipient.get())) {
      refuse(request, Refusal.UNKNOWN_USER);
      return;
    }
    List<Binding> contacts =
        locations.bindings(recipient.get(), clock.instant()).stream()
            .filter(each -> agent.isEmpty() || agent.get().is(each))
            .toList();
    if (contacts.isEmpty()) {
      refuse(request, Refusal.NOT_REGISTERED);
      return;
    }
    List<Binding> able = contacts.stream().filter(c -> c.allows("MESSAGE")).toList();
    List<Binding> targets = InstanceFlows.targets(able);
    for (int i = able.size(); i < contacts.size(); i++) {
      meters.count(SipMeters.Branch.INCAPABLE);
    }
    if (targets.isEmpty()) {
      refuse(request, Refusal.NO_CAPABLE_CONTACT);
      return;
    }
    int hops = message.headers().first("Max-Forwards").map(Integer::parseInt).orElse(HOPS_UNTOLD);
    if (hops == 0) {
      refuse(request, Refusal.TOO_MANY_HOPS);
      return;
    }
    SipHeaders headers =
        message
            .headers()
            .without("Route")
            .without("Proxy-Authorization")
            .replace("Max-Forwards", Integer.toString(hops - 1));
    new MessageFork(
            targets,
            contact ->
                InstanceFlows.send(
                        contact,
                        able,
                        flow ->
                            endpoint.send(
                                new SipRequest(
                                    "MESSAGE",
                                    flow.contact(),
                                    flow.routed(headers),
                                    message.body()),
                                flow.flow()),
                        locations::drop)
                    .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS),
            meters,
            best -> relay(request, best))
        .start();
  }

  private void relay(IncomingRequest request, MessageFork.Result best) {
    switch (best) {
      case MessageFork.Result.Answered(SipResponse response) -> {
        meters.count(SipMeters.Event.MESSAGE_RELAYED);
        // A 503 would tell the sender that this proxy is overloaded, but only one device is
        // (section 16.7 step 6).
        request.answer(
            response.status() == 503
                ? SipResponse.to(request.message(), 500)
                : response.forwardedFor(request.message()));
      }
      case MessageFork.Result.Failed(Refusal reason) -> refuse(request, reason);
    }
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    request.answer(reason.status());
  }
}
