package io.viaduct.bridge.registrar;

import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.NameAddress;
import io.viaduct.sip.SipEndpoint;
import io.viaduct.sip.SipException;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/// Passes MESSAGE (RFC 3428) from a user to another user's latest contact, and the answer back (RFC
/// 3261 section 16, one target). The sender is who he says: From must be the authenticated user.
public final class MessageProxy {
  private final Authentication authentication;
  private final Subscribers subscribers;
  private final LocationService locations;
  private final SipMeters meters;
  private final InstantSource clock;

  public MessageProxy(
      Authentication authentication,
      Subscribers subscribers,
      LocationService locations,
      SipMeters meters,
      InstantSource clock) {
    this.authentication = authentication;
    this.subscribers = subscribers;
    this.locations = locations;
    this.meters = meters;
    this.clock = clock;
  }

  void onMessage(IncomingRequest request, SipEndpoint endpoint) {
    SipRequest message = request.message();
    if (authentication.asProxy(request, message.from()).isEmpty()) {
      return;
    }
    Optional<String> recipient =
        authentication.localUser(new NameAddress(message.uri(), java.util.Map.of()));
    if (recipient.isEmpty() || !subscribers.contains(recipient.get())) {
      refuse(request, Refusal.UNKNOWN_USER);
      return;
    }
    Optional<Binding> target = locations.latest(recipient.get(), clock.instant());
    if (target.isEmpty()) {
      refuse(request, Refusal.NOT_REGISTERED);
      return;
    }
    int hops = Integer.parseInt(message.headers().require("Max-Forwards"));
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
    var unused =
        endpoint
            .send(
                new SipRequest("MESSAGE", target.get().contact(), headers, message.body()),
                target.get().flow())
            .whenComplete((response, failure) -> relay(request, response, failure));
  }

  private void relay(
      IncomingRequest request, @Nullable SipResponse response, @Nullable Throwable failure) {
    if (response != null) {
      meters.count(SipMeters.Event.MESSAGE_RELAYED);
      request.answer(response);
      return;
    }
    Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
    boolean silent = cause instanceof SipException e && e.reason() == SipException.Reason.TIMEOUT;
    refuse(request, silent ? Refusal.NO_ANSWER : Refusal.UNREACHABLE);
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    request.answer(reason.status());
  }
}
