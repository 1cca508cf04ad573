package io.viaduct.billing.credit;

import io.viaduct.billing.tariff.ServiceClass;
import io.viaduct.billing.tariff.Tariff;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import io.viaduct.usage.v1.CreditResult;
import io.viaduct.usage.v1.FailureAction;
import io.viaduct.usage.v1.FailureHandling;
import io.viaduct.usage.v1.GrantedUnits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/// Writes answers.
final class CreditAnswers {
  private final Tariff tariff;
  private final Instant now;

  /// @param tariff tariff in force: it says what happens to traffic while billing is away
  CreditAnswers(Tariff tariff, Instant now) {
    this.tariff = tariff;
    this.now = now;
  }

  /// Returns the answer to a request that is not valid. Nothing has changed.
  static CreditAnswer refused(CreditRequest request, String reason) {
    return to(request).setResult(CreditResult.REQUEST_REFUSED).setReason(reason).build();
  }

  static CreditAnswer unknownAccount(CreditRequest request) {
    return to(request).setResult(CreditResult.UNKNOWN_ACCOUNT).setReason("no such account").build();
  }

  /// Returns the answer to a valid request that cannot be decided now.
  static CreditAnswer unable(CreditRequest request, String reason) {
    return to(request).setResult(CreditResult.UNABLE_TO_DELIVER).setReason(reason).build();
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
      CreditState state) {
    return decided(to(request), result, quotas, credit, state);
  }

  CreditAnswer push(
      SessionKey session,
      CreditResult result,
      List<Quota> quotas,
      AccountCredit credit,
      CreditState state) {
    return decided(
        CreditAnswer.newBuilder()
            .setSnaptId(session.snapt())
            .setSessionId(session.id())
            .setAccount(credit.account()),
        result,
        quotas,
        credit,
        state);
  }

  private CreditAnswer decided(
      CreditAnswer.Builder answer,
      CreditResult result,
      List<Quota> quotas,
      AccountCredit credit,
      CreditState state) {
    answer
        .setResult(result)
        .addAllFailure(failure())
        .setLowCredit(state != CreditState.SUFFICIENT)
        .setAvailableMicrodenarii(credit.available().value())
        .setReason(reason(result, credit));
    if (result != CreditResult.ACCOUNT_BLOCKED) {
      quotas.forEach(quota -> answer.addGranted(units(quota)));
    }
    return answer.build();
  }

  private List<FailureHandling> failure() {
    return Stream.of(ServiceClass.values())
        .map(each ->
            FailureHandling.newBuilder()
                .setServiceClass(wire(each))
                .setAction(
                    switch (tariff.creditFailure(each)) {
                      case CONTINUE -> FailureAction.CONTINUE;
                      case TERMINATE -> FailureAction.TERMINATE;
                    })
                .build())
        .toList();
  }

  private static String reason(CreditResult result, AccountCredit credit) {
    return switch (result) {
      case ACCOUNT_BLOCKED ->
          credit.access() == AccountCredit.Access.BLOCKED
              ? "the operator has blocked the account"
              : "the account is suspended or closed";
      case CREDIT_LIMIT_REACHED ->
          "available: %s of %s micro-denarii".formatted(credit.available(), credit.credit());
      case SPENDING_CAP_REACHED ->
          "spent today: %s micro-denarii, this month: %s"
              .formatted(credit.spentToday(), credit.spentThisMonth());
      default -> "";
    };
  }

  private GrantedUnits units(Quota quota) {
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
