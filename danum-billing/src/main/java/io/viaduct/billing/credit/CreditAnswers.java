package io.viaduct.billing.credit;

import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.FailureHandling;
import io.viaduct.usage.v1.GrantedUnits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// Writes answers.
final class CreditAnswers {
  private final List<FailureHandling> failure;

  /// @param actions what a SNAPT does with the traffic of a class while billing is away
  CreditAnswers(Map<ServiceClass, FailureAction> actions) {
    failure =
        actions.entrySet().stream()
            .map(each ->
                FailureHandling.newBuilder()
                    .setServiceClass(wire(each.getKey()))
                    .setAction(each.getValue())
                    .build())
            .toList();
  }

  /// Returns the answer to a request that is not valid. Nothing has changed.
  static CreditAnswer refused(CreditRequest request, String reason) {
    return to(request).setResult(CreditResult.REQUEST_REFUSED).setReason(reason).build();
  }

  static CreditAnswer unknownAccount(CreditRequest request) {
    return to(request).setResult(CreditResult.UNKNOWN_ACCOUNT).setReason("no such account").build();
  }

  /// Returns the answer to a request while the database does not answer.
  static CreditAnswer unable(CreditRequest request) {
    return to(request)
        .setResult(CreditResult.UNABLE_TO_DELIVER)
        .setReason("the database is away")
        .build();
  }

  private static CreditAnswer.Builder to(CreditRequest request) {
    return CreditAnswer.newBuilder()
        .setSnaptId(request.getSnaptId())
        .setSessionId(request.getSessionId())
        .setAccount(request.getAccount())
        .setNumber(request.getNumber());
  }

  CreditAnswer answer(
      CreditRequest request,
      CreditResult result,
      List<Quota> quotas,
      AccountCredit credit,
      CreditState state,
      Instant now) {
    return decided(to(request), result, quotas, credit, state, now);
  }

  CreditAnswer push(
      SessionKey session,
      CreditResult result,
      List<Quota> quotas,
      AccountCredit credit,
      CreditState state,
      Instant now) {
    return decided(
        CreditAnswer.newBuilder()
            .setSnaptId(session.snapt())
            .setSessionId(session.id())
            .setAccount(credit.account()),
        result,
        quotas,
        credit,
        state,
        now);
  }

  private CreditAnswer decided(
      CreditAnswer.Builder answer,
      CreditResult result,
      List<Quota> quotas,
      AccountCredit credit,
      CreditState state,
      Instant now) {
    answer
        .setResult(result)
        .addAllFailure(failure)
        .setLowCredit(state != CreditState.SUFFICIENT)
        .setAvailableMicrodenarii(credit.available().value())
        .setReason(reason(result, credit));
    if (result != CreditResult.ACCOUNT_BLOCKED) {
      quotas.forEach(quota -> answer.addGranted(units(quota, now)));
    }
    return answer.build();
  }

  private static String reason(CreditResult result, AccountCredit credit) {
    return switch (result) {
      case ACCOUNT_BLOCKED -> "the account is suspended or closed";
      case CREDIT_LIMIT_REACHED ->
          "available: %s of %s micro-denarii".formatted(credit.available(), credit.credit());
      case SPENDING_CAP_REACHED ->
          "spent today: %s micro-denarii, this month: %s"
              .formatted(credit.spentToday(), credit.spentThisMonth());
      default -> "";
    };
  }

  private static GrantedUnits units(Quota quota, Instant now) {
    Duration left = Duration.between(now, quota.validUntil()).minus(GrantRules.LATE);
    return GrantedUnits.newBuilder()
        .setApplication(quota.application().name())
        .setServiceClass(wire(quota.application().serviceClass()))
        .setTotalBytes(quota.allowed().bytes())
        .setValidityMs(Math.max(0, left.toMillis()))
        .setFinal(quota.isCut())
        .build();
  }

  private static io.viaduct.usage.v1.ServiceClass wire(ServiceClass serviceClass) {
    return io.viaduct.usage.v1.ServiceClass.valueOf(serviceClass.name());
  }
}
