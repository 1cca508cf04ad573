package io.viaduct.bridge.call;

import io.viaduct.bridge.call.CallRoutes.Inside;
import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.bridge.registrar.Binding;
import io.viaduct.bridge.registrar.Fork;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// Passes the requests inside a call to its other end: ACK, BYE, re-INVITE, UPDATE, PRACK, INFO and
/// others. The token in the Route proves that the sender belongs to the call; so they need neither
/// credentials nor credit, and a call can always be ended.
final class CallRequests {
  private final CallContext context;

  CallRequests(CallContext context) {
    this.context = context;
  }

  void onRequest(IncomingRequest request, Inside inside, RequestSender endpoint) {
    CallRoute route = inside.route();
    SipFlow sender = inside.isFromCaller() ? route.callerFlow() : route.calleeFlow();
    if (request.flow().equals(sender.of(""))) {
      request.onSourceProved(); // this address was sent the token
    }
    String method = request.message().method();
    Optional<Refusal> barrier =
        method.equals("REFER")
            ? Optional.of(Refusal.TRANSFER_REFUSED)
            : context.routing().barrier(request.message());
    if (barrier.isPresent()) {
      if (!method.equals("ACK")) {
        context.refuse(request, barrier.get());
      }
      return;
    }
    SipHeaders headers = TrustDomain.outside(Routing.forwarded(inside.request()));
    Optional<Binding> contact = contact(inside);
    SipFlow then =
        inside.isFromCaller() ? inside.route().calleeFlow() : inside.route().callerFlow();
    SipFlow target = contact.map(Binding::flow).orElse(then);
    SipRequest next =
        new SipRequest(
            method,
            contact
                .map(found -> context.routing().uri(inside.request().uri(), found))
                .orElse(inside.request().uri()),
            headers,
            inside.request().body());
    switch (method) {
      case "ACK" -> endpoint.sendAck(next, target);
      case "INVITE", "UPDATE" -> {
        switch (context.timer().offer(next.headers())) {
          case SessionTimer.Offer.TooShort tooShort -> context.refuse(request, tooShort);
          case SessionTimer.Offer.Taken timer -> {
            SipRequest offered = next.withHeaders(timer.headers());
            if (method.equals("INVITE")) {
              invite(request, offered, target, timer, endpoint);
            } else {
              pass(request, offered, target, timer, endpoint);
            }
          }
        }
      }
      default -> pass(request, next, target, null, endpoint);
    }
  }

  /// Returns the registration of the other end now, because it may have moved since the call began.
  private Optional<Binding> contact(Inside inside) {
    CallRoute route = inside.route();
    String user = inside.isFromCaller() ? route.callee() : route.caller();
    String agent = inside.isFromCaller() ? route.calleeAgent() : route.callerAgent();
    return context
        .routing()
        .contact(
            user,
            inside.request().uri(),
            each -> !agent.isEmpty() && CallRoute.agent(each).equals(agent));
  }

  private void pass(
      IncomingRequest request,
      SipRequest next,
      SipFlow target,
      SessionTimer.Offer.@Nullable Taken timer,
      RequestSender endpoint) {
    var unused =
        endpoint
            .send(next, target, context.routing().mark(request.message()))
            .whenComplete(
                (response, failure) -> conclude(request, Fork.Result.of(response, failure), timer));
  }

  private void invite(
      IncomingRequest request,
      SipRequest next,
      SipFlow target,
      SessionTimer.Offer.Taken timer,
      RequestSender endpoint) {
    CompletableFuture<Leg> sent = new CompletableFuture<>();
    if (!request.begin(
        () -> {
          var unused = sent.thenAccept(leg -> leg.cancel(""));
        })) {
      context.refuse(request, Refusal.CALLS_FULL);
      return;
    }
    Leg leg =
        Leg.send(
            next,
            target,
            context.routing().mark(request.message()),
            endpoint,
            context.ring(),
            response -> request.answer(answered(request, response, timer)));
    sent.complete(leg);
    var unused =
        leg.answer()
            .whenComplete((response, failure) -> {
              Fork.Result result = Fork.Result.of(response, failure);
              if (result.isAcceptance()) {
                context.meters().count(SipMeters.Event.CALL_REQUEST_RELAYED);
              } else {
                conclude(request, result, timer);
              }
            });
  }

  private SipResponse answered(
      IncomingRequest request, SipResponse response, SessionTimer.Offer.@Nullable Taken timer) {
    SipResponse forwarded = context.relayed(response, request);
    if (timer == null || !response.isSuccess()) {
      return forwarded;
    }
    SipResponse accepted = SessionTimer.accepted(forwarded, timer);
    context
        .table()
        .refreshed(
            CallTable.Key.of(request.message()),
            SessionTimer.settled(accepted),
            context.clock().instant());
    return accepted;
  }

  private void conclude(
      IncomingRequest request, Fork.Result result, SessionTimer.Offer.@Nullable Taken timer) {
    boolean isBye = request.message().method().equals("BYE");
    boolean isChallenged =
        result instanceof Fork.Result.Answered(SipResponse response)
            && (response.status() == 401 || response.status() == 407);
    if (isBye && !isChallenged) {
      if (context.table().ended(CallTable.Key.of(request.message()))) {
        context.meters().count(SipMeters.Event.CALL_ENDED);
      }
    } else {
      context.meters().count(SipMeters.Event.CALL_REQUEST_RELAYED);
    }
    switch (result) {
      case Fork.Result.Answered(SipResponse response) ->
          request.answer(answered(request, response, timer));
      case Fork.Result.Failed(Refusal reason) -> context.refuse(request, reason);
    }
  }
}
