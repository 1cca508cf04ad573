package io.viaduct.bridge.call;

import io.viaduct.bridge.registrar.Authentication;
import io.viaduct.bridge.registrar.CreditState;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.bridge.registrar.SipService;
import io.viaduct.bridge.registrar.Subscribers;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipRequest;
import java.util.Optional;

/// Serves calls as a proxy (RFC 3261 section 16): it admits new ones, and passes on what belongs to
/// known ones ([CallRequests]).
final class Calls implements SipService.Calls {
  private final Authentication authentication;
  private final Subscribers subscribers;
  private final CallContext context;
  private final CallRequests requests;

  Calls(
      Authentication authentication,
      Subscribers subscribers,
      CallContext context,
      CallRequests requests) {
    this.authentication = authentication;
    this.subscribers = subscribers;
    this.context = context;
    this.requests = requests;
  }

  @Override
  public boolean onRequestInside(IncomingRequest request, RequestSender endpoint) {
    Optional<CallRoutes.Inside> inside = context.routes().read(request.message());
    inside.ifPresent(found -> requests.onRequest(request, found, endpoint));
    return inside.isPresent();
  }

  @Override
  public void onInvite(IncomingRequest request, RequestSender endpoint) {
    SipRequest invite = request.message();
    Optional<Refusal> barrier =
        invite.to().tag().isEmpty()
            ? context.routing().barrier(invite)
            : Optional.of(Refusal.UNKNOWN_DIALOG);
    if (barrier.isPresent()) {
      context.refuse(request, barrier.get());
      return;
    }
    authentication
        .asProxy(request, invite.from())
        .ifPresent(caller -> onInvite(request, caller, endpoint));
  }

  private void onInvite(IncomingRequest request, String caller, RequestSender endpoint) {
    if (subscribers.credit(caller) == CreditState.EXHAUSTED) {
      context.refuse(request, Refusal.NO_CREDIT);
      return;
    }
    switch (context.timer().offer(request.message().headers())) {
      case SessionTimer.Offer.TooShort tooShort -> context.refuse(request, tooShort);
      case SessionTimer.Offer.Taken timer -> {
        SipRequest offered = request.message().withHeaders(timer.headers());
        switch (context.routing().next(offered, context.meters()::countCall)) {
          case Routing.Next.Refused(Refusal reason) -> context.refuse(request, reason);
          case Routing.Next.To to ->
              admit(
                  request, caller, new CallAttempt(request, caller, endpoint, to, timer, context));
        }
      }
    }
  }

  private void admit(IncomingRequest request, String caller, CallAttempt attempt) {
    Optional<Refusal> full = context.table().reserve(caller);
    if (full.isPresent()) {
      context.refuse(request, full.get());
    } else if (request.begin(attempt::cancel)) {
      attempt.start();
    } else {
      context.table().release(caller);
      context.refuse(request, Refusal.CALLS_FULL);
    }
  }

  @Override
  public void onClock() {
    int expired = context.table().expire(context.clock().instant());
    for (int i = 0; i < expired; i++) {
      context.meters().count(SipMeters.Event.CALL_EXPIRED);
    }
  }
}
