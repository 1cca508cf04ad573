package io.viaduct.bridge.registrar;

import io.viaduct.bridge.core.TrustDomain;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.RequestSender;
import io.viaduct.sip.SipRequest;
import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Passes a MESSAGE (RFC 3428) from a user to the contacts of another user, and returns the best
/// response (RFC 3261 section 16; [Fork]). From must be the authenticated user.
public final class MessageProxy {
  private final String domain;
  private final Authentication authentication;
  private final Routing routing;
  private final SipMeters meters;
  private final Duration patience;

  /// @param patience longest wait for one contact. Two such waits must be shorter than the sender's
  ///   transaction timeout, 32 s
  public MessageProxy(
      String domain,
      Authentication authentication,
      Routing routing,
      SipMeters meters,
      Duration patience) {
    this.domain = domain;
    this.authentication = authentication;
    this.routing = routing;
    this.meters = meters;
    this.patience = patience;
  }

  void onMessage(IncomingRequest request, RequestSender endpoint) {
    SipRequest message = request.message();
    Optional<Refusal> barrier = routing.barrier(message);
    if (barrier.isPresent()) {
      refuse(request, barrier.get());
      return;
    }
    Optional<String> sender = authentication.asProxy(request, message.from());
    if (sender.isPresent()) {
      switch (routing.next(message, meters::countMessage)) {
        case Routing.Next.Refused(Refusal reason) -> refuse(request, reason);
        case Routing.Next.To to ->
            fork(request, authentication.address(sender.get()), to, endpoint);
      }
    }
  }

  private void fork(
      IncomingRequest request, String sender, Routing.Next.To to, RequestSender endpoint) {
    SipRequest message = request.message();
    String mark = routing.mark(message);
    new Fork(
            to.contacts(),
            contact ->
                Fork.Branch.of(
                    routing
                        .byFlows(
                            contact,
                            to,
                            flow ->
                                endpoint.send(
                                    new SipRequest(
                                        "MESSAGE",
                                        flow.contact(),
                                        flow.routed(to.headers(), sender),
                                        message.body()),
                                    flow.flow(),
                                    mark),
                            () -> true)
                        .orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)),
            meters::countMessage,
            best -> relay(request, best))
        .start();
  }

  private void relay(IncomingRequest request, Fork.Result best) {
    switch (best) {
      case Fork.Result.Answered(SipResponse response) -> {
        meters.count(SipMeters.Event.MESSAGE_RELAYED);
        request.answer(relayed(response, request.message(), domain, meters));
      }
      case Fork.Result.Failed(Refusal reason) -> refuse(request, reason);
    }
  }

  /// Returns a contact's final response as its sender gets it. A 503 would tell the sender that
  /// this proxy is overloaded, but only one device is (RFC 3261 section 16.7 step 6).
  public static SipResponse relayed(
      SipResponse response, SipRequest request, String domain, SipMeters meters) {
    if (response.status() != 503) {
      return outside(response.forwardedFor(request));
    }
    meters.count(Refusal.DEVICE_UNAVAILABLE);
    return Refusal.DEVICE_UNAVAILABLE.response(request, domain);
  }

  /// Returns a response without the headers of the core.
  public static SipResponse outside(SipResponse response) {
    return response.withHeaders(TrustDomain.outside(response.headers()));
  }

  private void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    request.answer(reason.response(request.message(), domain));
  }
}
