package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.NodeIdentity;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/// The client's side of one credit-control session (RFC 8506 section 5.1.1): INITIAL, any number of
/// UPDATE, TERMINATION; or a single EVENT. It builds requests with their numbers. Not thread-safe.
public final class CreditSession {
  private static final int CREDIT_CONTROL = 272;

  private final SessionParties parties;
  private final String sessionId;
  private final Subscriber subscriber;
  private long number;
  private boolean ended;

  public CreditSession(SessionParties parties, String sessionId, Subscriber subscriber) {
    this.parties = parties;
    this.sessionId = sessionId;
    this.subscriber = subscriber;
  }

  /// Continues a session of an earlier process, or builds a request again.
  ///
  /// @param number CC-Request-Number of the next request
  public static CreditSession resume(
      SessionParties parties, String sessionId, Subscriber subscriber, long number) {
    CreditSession session = new CreditSession(parties, sessionId, subscriber);
    session.number = number;
    return session;
  }

  public String sessionId() {
    return sessionId;
  }

  /// Returns the first request.
  ///
  /// @throws IllegalStateException if there was one
  public DiameterMessage initial(List<ServiceRequest> services, Instant now) {
    if (number != 0) {
      throw new IllegalStateException(sessionId + " has begun");
    }
    return request("INITIAL_REQUEST", services, now, _ -> {});
  }

  /// Returns a request that reports use and asks for more.
  public DiameterMessage update(List<ServiceRequest> services, Instant now) {
    requireBegun();
    return request("UPDATE_REQUEST", services, now, _ -> {});
  }

  /// Returns the last request, which reports the last use.
  ///
  /// @param cause name of a Termination-Cause, such as `DIAMETER_LOGOUT`
  public DiameterMessage terminate(List<ServiceRequest> services, String cause, Instant now) {
    requireBegun();
    ended = true;
    return request(
        "TERMINATION_REQUEST", services, now, avps -> avps.add("Termination-Cause", cause));
  }

  /// Returns a request outside of a session.
  ///
  /// @param action name of a Requested-Action, such as `CHECK_BALANCE`
  public DiameterMessage event(List<ServiceRequest> services, String action, Instant now) {
    if (number != 0) {
      throw new IllegalStateException(sessionId + " has begun");
    }
    ended = true;
    return request("EVENT_REQUEST", services, now, avps -> avps.add("Requested-Action", action));
  }

  private void requireBegun() {
    if (number == 0 || ended) {
      throw new IllegalStateException(sessionId + (ended ? " has ended" : " has not begun"));
    }
  }

  private DiameterMessage request(
      String type, List<ServiceRequest> services, Instant now, Consumer<AvpBuilder> more) {
    AvpBuilder avps =
        parties
            .begin(sessionId)
            .add("Auth-Application-Id", NodeIdentity.CREDIT_CONTROL)
            .add("Service-Context-Id", parties.context())
            .add("CC-Request-Type", type)
            .add("CC-Request-Number", number++)
            .add("Event-Timestamp", now);
    subscriber.writeTo(avps);
    more.accept(avps);
    avps.add("Multiple-Services-Indicator", "MULTIPLE_SERVICES_SUPPORTED");
    services.forEach(service -> service.writeTo(avps));
    return new DiameterMessage(
        DiameterHeader.request(CREDIT_CONTROL, true, NodeIdentity.CREDIT_CONTROL), avps.build());
  }
}
