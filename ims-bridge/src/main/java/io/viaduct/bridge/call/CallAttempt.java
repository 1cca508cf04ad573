package io.viaduct.bridge.call;

import io.viaduct.bridge.registrar.Binding;
import io.viaduct.bridge.registrar.Fork;
import io.viaduct.bridge.registrar.MessageProxy;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipFlow;
import io.viaduct.sip.SipHeaders;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;

/// A call that is being set up: one INVITE at the contacts of its recipient. Provisional responses
/// and all acceptances go back at once, of the refusals only the best one. Thread-safe.
final class CallAttempt {
  private final IncomingRequest request;
  private final String caller;
  private final RequestSender endpoint;
  private final SessionTimer.Offer.Taken timer;
  private final CallContext context;
  private final SipHeaders headers;
  private final String mark;
  private final Fork fork;

  /// @param caller the authenticated user
  /// @param to contacts and headers of the forwarded INVITE
  CallAttempt(
      IncomingRequest request,
      String caller,
      RequestSender endpoint,
      Routing.Next.To to,
      SessionTimer.Offer.Taken timer,
      CallContext context) {
    this.request = request;
    this.caller = caller;
    this.endpoint = endpoint;
    this.timer = timer;
    this.context = context;
    this.headers = to.headers();
    this.mark = context.routing().mark(request.message());
    this.fork =
        new Fork(
            to.contacts(),
            contact -> FlowLegs.ring(contact, to, this::ring, context.routing()),
            context.meters()::countCall,
            this::conclude);
  }

  void start() {
    fork.start();
  }

  void cancel() {
    fork.cancel();
  }

  private Leg ring(Binding contact) {
    SipRequest invite = request.message();
    CallRoute route =
        new CallRoute(
            caller,
            context.routing().contact(caller, request.flow()).map(CallRoute::agent).orElse(""),
            request.flow(),
            contact.user(),
            CallRoute.agent(contact),
            contact.flow());
    String token = context.routes().token(route, invite);
    SipFlow flow = contact.flow();
    return Leg.send(
        new SipRequest(
            "INVITE",
            contact.contact(),
            contact
                .routed(headers, context.address(caller))
                .withFirst("Record-Route", CallRoutes.recordRoute(token, endpoint, flow)),
            invite.body()),
        flow,
        mark,
        endpoint,
        context.ring(),
        response -> back(response, token));
  }

  private void back(SipResponse response, String token) {
    SipResponse forwarded =
        CallRoutes.withRecordRoute(
            MessageProxy.outside(response.forwardedFor(request.message())),
            token,
            CallRoutes.recordRoute(token, endpoint, request.flow()));
    if (response.isSuccess()) {
      forwarded = SessionTimer.accepted(forwarded, timer);
      if (context
          .table()
          .answered(
              CallTable.Key.of(forwarded),
              caller,
              SessionTimer.settled(forwarded),
              context.clock().instant())) {
        context.meters().count(SipMeters.Event.CALL_ANSWERED);
      }
    }
    request.answer(forwarded);
  }

  private void conclude(Fork.Result best) {
    context.table().release(caller);
    if (best.isAcceptance()) {
      return;
    }
    switch (best) {
      case Fork.Result.Answered(SipResponse response) -> {
        context
            .meters()
            .count(
                response.status() == 487
                    ? SipMeters.Event.CALL_CANCELLED
                    : SipMeters.Event.CALL_REFUSED);
        request.answer(context.relayed(response, request));
      }
      case Fork.Result.Failed(Refusal reason) -> context.refuse(request, reason);
    }
  }
}
