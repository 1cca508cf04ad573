package io.viaduct.billing.diameter;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.ro.RoAnswer;
import io.viaduct.billing.ro.RoAnswer.Outcome;
import io.viaduct.billing.ro.RoCredit;
import io.viaduct.billing.ro.RoRequest;
import io.viaduct.diameter.credit.CreditAnswer;
import io.viaduct.diameter.credit.CreditSession;
import io.viaduct.diameter.credit.FinalUnit;
import io.viaduct.diameter.credit.ServiceGrant;
import io.viaduct.diameter.credit.ServiceRequest;
import io.viaduct.diameter.credit.ServiceUnits;
import io.viaduct.diameter.credit.Subscriber;
import io.viaduct.diameter.message.DiameterHeader;
import io.viaduct.diameter.message.DiameterMessage;
import io.viaduct.diameter.message.SessionParties;
import io.viaduct.diameter.peer.DiameterException;
import io.viaduct.diameter.peer.DiameterNode;
import io.viaduct.diameter.peer.Exchange;
import io.viaduct.service.operations.LabelledCounters;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/// Asks the operator's charging system for credit: one service, in the units of [RoUnits]. A
/// Final-Unit-Indication with any action means that the granted units are the last ones: SNAPTs can
/// neither redirect nor filter the traffic of an account.
///
/// @param ratingGroup Rating-Group, by which the charging system knows the unit
/// @param finals counts Final-Unit-Indications
/// @param domain home domain of the users
record RoMessages(
    DiameterNode node,
    SessionParties parties,
    long ratingGroup,
    RoUnits units,
    LabelledCounters<FinalUnit.Action> finals,
    String domain)
    implements RoCredit.Peer {
  private static final int CLASS = 1000;
  private static final long QUOTA_EXHAUSTED = 3;
  private static final long FINAL = 2;

  @Override
  public CompletableFuture<RoAnswer> ask(RoRequest request) {
    return node.exchange(copy(request))
        .handle((exchange, failure) ->
            failure == null
                ? read(request, exchange)
                : RoAnswer.without(isUnsent(failure) ? Outcome.NOT_TAKEN : Outcome.UNANSWERED));
  }

  private static boolean isUnsent(Throwable failure) {
    return failure instanceof DiameterException end && !end.mayHaveArrived();
  }

  private DiameterMessage copy(RoRequest request) {
    DiameterMessage message = message(request);
    DiameterHeader header = message.header().withEndToEnd(request.endToEnd());
    return message.with(request.isRepeated() ? header.asRetransmission() : header);
  }

  private DiameterMessage message(RoRequest request) {
    CreditSession session =
        CreditSession.resume(
            parties,
            request.session(),
            new Subscriber(
                Subscriber.Type.END_USER_SIP_URI, "sip:" + request.account() + "@" + domain),
            request.number());
    Optional<ServiceUnits> used =
        request.used().value() == 0 && request.kind() != RoRequest.Kind.TERMINATION
            ? Optional.empty()
            : Optional.of(units.of(request.used()));
    return switch (request.kind()) {
      case INITIAL -> session.initial(List.of(service(request, Optional.empty())), request.at());
      case UPDATE -> session.update(List.of(service(request, used)), request.at());
      case TERMINATION ->
          session.terminate(List.of(service(request, used)), "DIAMETER_LOGOUT", request.at());
    };
  }

  private ServiceRequest service(RoRequest request, Optional<ServiceUnits> used) {
    boolean isLast = request.kind() == RoRequest.Kind.TERMINATION;
    return new ServiceRequest(
        OptionalLong.of(ratingGroup),
        OptionalLong.empty(),
        isLast ? Optional.empty() : Optional.of(units.of(request.wanted())),
        used,
        used.isEmpty() ? OptionalLong.empty() : OptionalLong.of(isLast ? FINAL : QUOTA_EXHAUSTED));
  }

  private RoAnswer read(RoRequest request, Exchange exchange) {
    CreditAnswer answer = CreditAnswer.of(exchange.answer());
    long result =
        answer.isSuccess()
            ? answer.grants().stream()
                .findFirst()
                .map(ServiceGrant::resultCode)
                .orElse(answer.resultCode())
            : answer.resultCode();
    if (result / CLASS == 3) { // a protocol error says nothing about the session
      // The node may have lost a peer that had a copy before.
      boolean hasLostCopy = exchange.request().header().retransmitted() && !request.isRepeated();
      return RoAnswer.without(hasLostCopy ? Outcome.UNANSWERED : Outcome.NOT_TAKEN);
    }
    // A refused first request has opened no session.
    boolean isOpen = request.kind() != RoRequest.Kind.INITIAL || answer.isSuccess();
    if (result / CLASS == 4 && isOpen) {
      return RoAnswer.without(Outcome.REFUSED);
    }
    if (result / CLASS != 2) {
      return RoAnswer.without(Outcome.UNKNOWN);
    }
    Optional<ServiceGrant> grant = answer.grants().stream().findFirst();
    Optional<FinalUnit> last = grant.flatMap(ServiceGrant::finalUnit);
    last.ifPresent(unit -> finals.increment(unit.action()));
    Optional<MicroDenarii> amount =
        request.kind() == RoRequest.Kind.TERMINATION
            ? Optional.of(MicroDenarii.ZERO)
            : units.read(grant.flatMap(ServiceGrant::granted).orElse(ServiceUnits.UNSPECIFIED));
    if (amount.isEmpty()) {
      return RoAnswer.without(Outcome.OTHER_UNIT);
    }
    return new RoAnswer(
        Outcome.GRANTED,
        amount.get(),
        grant.flatMap(ServiceGrant::validity),
        last.isPresent() || amount.get().value() == 0);
  }
}
