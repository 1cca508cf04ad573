package io.viaduct.billing.diameter;

import io.viaduct.billing.call.CallAnswer;
import io.viaduct.billing.call.CallOutcome;
import io.viaduct.billing.call.CallRequest;
import io.viaduct.diameter.credit.CreditAnswer;
import io.viaduct.diameter.credit.FinalUnit;
import io.viaduct.diameter.credit.ServiceGrant;
import io.viaduct.diameter.credit.ServiceRequest;
import io.viaduct.diameter.credit.ServiceUnits;
import io.viaduct.diameter.message.Answers;
import io.viaduct.diameter.message.DiameterMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Translates between credit-control messages and requests of calls. A call is the first service of
/// a message that is counted in seconds, or that leaves its unit to the server; other services are
/// refused one by one. A message without Multiple-Services-Credit-Control has one service, whose
/// units stand in the message itself.
///
/// @param validity time after which a grant must be renewed
record CallMessages(Answers answers, SubscriberAddresses subscribers, Duration validity) {
  private static final int TEXT_MAX = 255;

  /// Reads a request.
  ///
  /// @return empty if it is none that a call can have
  Optional<CallRequest> read(DiameterMessage message, CallRequest.Kind kind) {
    Optional<ServiceRequest> service = call(message);
    String session = message.avps().text("Session-Id").orElse("");
    String host = message.avps().text("Origin-Host").orElse("");
    if (isTooLong(session) || isTooLong(host)) {
      return Optional.empty();
    }
    return Optional.of(
        new CallRequest(
            host,
            message.avps().text("Origin-Realm").orElse(""),
            session,
            message.avps().number("CC-Request-Number").orElse(0),
            kind,
            subscribers.of(message.avps()),
            service.flatMap(ServiceRequest::used).map(CallMessages::seconds).orElse(0L),
            service.flatMap(ServiceRequest::requested).map(CallMessages::wanted).orElse(0L),
            SdpMedia.of(message.avps())));
  }

  private static boolean isTooLong(String text) {
    return text.isEmpty() || text.length() > TEXT_MAX;
  }

  /// Returns true if a request must be refused, because no service in it is a call. A call that
  /// goes on may share its session with services that ask alone.
  boolean lacksCall(DiameterMessage message, CallRequest.Kind kind) {
    return call(message).isEmpty()
        && (kind == CallRequest.Kind.INITIAL || !CreditAnswer.hasMultipleServices(message));
  }

  /// Returns true if a request lacks the units without which nothing can be granted or charged. A
  /// request that ends a call needs none.
  boolean lacksUnits(DiameterMessage message, CallRequest.Kind kind) {
    return switch (kind) {
      case INITIAL ->
          call(message)
              .map(service -> service.requested().isEmpty())
              .orElse(CreditAnswer.services(message).isEmpty());
      case UPDATE -> CreditAnswer.services(message).isEmpty();
      case TERMINATION -> false;
    };
  }

  private static Optional<ServiceRequest> call(DiameterMessage message) {
    return CreditAnswer.services(message).stream().filter(CallMessages::isCall).findFirst();
  }

  private static boolean isCall(ServiceRequest service) {
    return List.of(service.requested(), service.used()).stream()
        .flatMap(Optional::stream)
        .allMatch(units -> units.seconds().isPresent() || units.equals(ServiceUnits.UNSPECIFIED));
  }

  /// Returns the seconds of a request; a service without an amount leaves it to the server.
  private static long wanted(ServiceUnits units) {
    return units.seconds().orElse(Long.MAX_VALUE);
  }

  private static long seconds(ServiceUnits units) {
    return units.seconds().orElse(0);
  }

  /// Returns the seconds that an event asks about, 1 if it says none.
  static long asked(DiameterMessage message) {
    return call(message)
        .flatMap(ServiceRequest::requested)
        .map(units -> Math.min(Integer.MAX_VALUE, Math.max(1L, units.seconds().orElse(1))))
        .orElse(1L);
  }

  /// Returns the answer as a message.
  DiameterMessage write(DiameterMessage request, CallAnswer answer) {
    Optional<ServiceRequest> call = call(request);
    List<ServiceGrant> grants = new ArrayList<>();
    for (ServiceRequest service : CreditAnswer.services(request)) {
      grants.add(
          call.filter(service::equals).isPresent()
              ? grant(service, answer)
              : ServiceGrant.refused(service, CallOutcome.RATING_FAILED.resultCode()));
    }
    return new CreditAnswer(answer.outcome().resultCode(), grants, Optional.empty())
        .to(request, answers);
  }

  private ServiceGrant grant(ServiceRequest service, CallAnswer answer) {
    if (answer.outcome() != CallOutcome.SUCCESS || answer.grantedSeconds() == 0) {
      return ServiceGrant.refused(service, answer.outcome().resultCode());
    }
    return ServiceGrant.of(
        service,
        ServiceUnits.ofSeconds(answer.grantedSeconds()),
        Optional.of(validity),
        answer.isLast() ? Optional.of(FinalUnit.TERMINATE) : Optional.empty());
  }
}
