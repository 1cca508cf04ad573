package io.viaduct.bridge.call;

import io.viaduct.bridge.registrar.MessageProxy;
import io.viaduct.bridge.registrar.Refusal;
import io.viaduct.bridge.registrar.Routing;
import io.viaduct.bridge.registrar.SipMeters;
import io.viaduct.sip.IncomingRequest;
import io.viaduct.sip.SipResponse;
import java.time.Duration;
import java.time.InstantSource;

/// The parts of the bridge that every request of a call needs.
///
/// @param domain of this bridge
/// @param ring longest time that a contact may ring without a new provisional response
record CallContext(
    String domain,
    Routing routing,
    CallRoutes routes,
    CallTable table,
    SessionTimer timer,
    Duration ring,
    SipMeters meters,
    InstantSource clock) {
  /// Calls end all the time, so a place is soon free.
  private static final String RETRY_SECONDS = "5";

  /// Returns the address of a user.
  String address(String user) {
    return "sip:" + user + "@" + domain;
  }

  /// Returns the other end's final response as the sender gets it.
  SipResponse relayed(SipResponse response, IncomingRequest request) {
    return MessageProxy.relayed(response, request.message(), domain, meters);
  }

  /// Refuses a request, and counts it.
  void refuse(IncomingRequest request, Refusal reason) {
    meters.count(reason);
    SipResponse response = reason.response(request.message(), domain);
    request.answer(
        response.status() == 503 ? response.with("Retry-After", RETRY_SECONDS) : response);
  }

  /// Asks for a longer session timer (RFC 4028 section 8.1).
  void refuse(IncomingRequest request, SessionTimer.Offer.TooShort offer) {
    meters.count(Refusal.SESSION_TOO_SHORT);
    request.answer(
        Refusal.SESSION_TOO_SHORT
            .response(request.message(), domain)
            .with("Min-SE", Long.toString(offer.leastSeconds())));
  }
}
