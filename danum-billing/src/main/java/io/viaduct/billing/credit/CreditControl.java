package io.viaduct.billing.credit;

import io.viaduct.billing.credit.CreditStore.StoredSession;
import io.viaduct.billing.snapts.Ownership;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TermsInForce;
import io.viaduct.usage.v1.CreditAnswer;
import io.viaduct.usage.v1.CreditRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.transaction.support.TransactionTemplate;

/// Grants quotas (ADR 0041). Each decision is one database transaction under the lock of the
/// account, so parallel sessions never get the same credit.
public final class CreditControl {
  /// Most accounts that one periodic run looks at.
  private static final int ACCOUNTS_OF_RUN = 500;

  private final TransactionTemplate transaction;
  private final CreditStore store;
  private final TariffBook tariffs;
  private final SurchargeBook surcharges;
  private final Owners owners;
  private final GrantRules rules;
  private final CreditNotices notices;
  private final CreditMeters meters;
  private final Duration adjustmentTime;

  /// @param adjustmentTime time after which a report can no longer be charged
  CreditControl(
      TransactionTemplate transaction,
      CreditStore store,
      TariffBook tariffs,
      SurchargeBook surcharges,
      Owners owners,
      GrantRules rules,
      CreditNotices notices,
      CreditMeters meters,
      Duration adjustmentTime) {
    this.transaction = transaction;
    this.store = store;
    this.tariffs = tariffs;
    this.surcharges = surcharges;
    this.owners = owners;
    this.rules = rules;
    this.notices = notices;
    this.meters = meters;
    this.adjustmentTime = adjustmentTime;
  }

  /// Decides about a request. The decision is committed when this method returns.
  ///
  /// @throws org.springframework.dao.DataAccessException if the database is not available; then
  ///   nothing has changed
  public CreditAnswer answer(CreditRequest message, Instant now) {
    try {
      SessionRequest request = SessionRequest.read(message);
      HighestPrices prices = prices(now);
      return transaction.execute(_ -> decide(request, message, prices, now));
    } catch (RequestRefusedException e) {
      return CreditAnswers.refused(message, String.valueOf(e.getMessage()));
    }
  }

  private CreditAnswer decide(
      SessionRequest request, CreditRequest message, HighestPrices prices, Instant now) {
    Optional<AccountCredit> locked = store.lock(request.account(), now);
    if (locked.isEmpty()) {
      return CreditAnswers.unknownAccount(message);
    }
    Optional<StoredSession> known = store.session(request.session());
    known.ifPresent(session -> requireNext(request, session));
    if (known.isEmpty()) {
      store.controls(request.session().snapt(), now);
    }
    store.heard(request, now);
    Decision decision = decision(locked.get(), prices, now);
    List<Quota> told =
        request.used().stream().map(used -> decision.tell(request.session(), used)).toList();
    List<Quota> granted = List.of();
    if (request.isLast()) {
      decision.releaseAll(request.session());
    } else {
      granted = told.stream().map(decision::decide).toList();
    }
    decision.saveAndWake();
    if (request.isLast()) {
      store.quotas().sweep(List.of(request.session()));
    }
    CreditState state = notices.look(decision.credit(), decision.refused(), now);
    return answers(prices, now)
        .answer(message, decision.result(), granted, decision.credit(), state);
  }

  private static void requireNext(SessionRequest request, StoredSession known) {
    if (!known.account().equals(request.account())) {
      throw new RequestRefusedException("the session is of another account");
    }
    if (request.number() <= known.number()) {
      throw new RequestRefusedException(
          "number must be above %d, the session's last, got %d"
              .formatted(known.number(), request.number()));
    }
    if (known.isEnded()) {
      throw new RequestRefusedException("the session has ended");
    }
  }

  /// Looks at the credit of an account again, and decides about the quotas that were cut. If an
  /// application waits then, those sessions are asked to give credit back that hold some.
  ///
  /// @param sessions sessions of the account that can be told
  /// @return one answer for each session, numbered 0
  public List<CreditAnswer> push(String account, Collection<SessionKey> sessions, Instant now) {
    HighestPrices prices = prices(now);
    return transaction.execute(_ ->
        store
            .lock(account, now)
            .map(credit -> push(credit, sessions, prices, now))
            .orElse(List.of()));
  }

  private List<CreditAnswer> push(
      AccountCredit locked, Collection<SessionKey> sessions, HighestPrices prices, Instant now) {
    Decision decision = decision(locked, prices, now);
    decision.regrant(Set.copyOf(sessions));
    decision.save();
    CreditState state = notices.look(decision.credit(), decision.refused(), now);
    CreditAnswers answers = answers(prices, now);
    Set<SessionKey> reauthorised = decision.reauthorised();
    return sessions.stream()
        .map(each ->
            answers
                .push(each, decision.result(), decision.ofSession(each), decision.credit(), state)
                .toBuilder()
                .setReauthorise(reauthorised.contains(each))
                .build())
        .toList();
  }

  /// Returns accounts that are to be looked at, at most some hundred: see [#push].
  List<String> overdue(Instant now) {
    return notices.overdue(now, ACCOUNTS_OF_RUN);
  }

  /// The owners of SNAPTs, who may ask for a surcharge.
  ///
  /// @param configured owners of SNAPTs that were never enrolled
  /// @param enrolled reads the owners of all SNAPTs
  record Owners(Set<String> configured, Supplier<Ownership> enrolled) {}

  private HighestPrices prices(Instant now) {
    Ownership ownership = owners.enrolled().get();
    Set<String> all = new HashSet<>(owners.configured());
    all.addAll(ownership.all());
    return HighestPrices.of(
        TermsInForce.Known.of(tariffs, surcharges, all), ownership, now, adjustmentTime);
  }

  private static CreditAnswers answers(HighestPrices prices, Instant now) {
    return new CreditAnswers(prices.known().tariffAt(now), now);
  }

  /// Begins a decision about the quotas of an account whose lock the caller holds.
  Decision decision(AccountCredit locked, Instant now) {
    return decision(locked, prices(now), now);
  }

  private Decision decision(AccountCredit locked, HighestPrices prices, Instant now) {
    Decision decision = new Decision(store.quotas(), rules, prices, locked, now);
    meters.lapsed(decision.releaseLapsed());
    return decision;
  }

  /// Releases grants whose time is over, and forgets sessions whose reports can no longer be
  /// charged.
  public void release(Instant now) {
    HighestPrices prices = prices(now);
    for (String account : store.lapsed(now, ACCOUNTS_OF_RUN)) {
      transaction.executeWithoutResult(_ ->
          store
              .lock(account, now)
              .ifPresent(credit -> decision(credit, prices, now).saveAndWake()));
    }
    meters.lapsed(store.forget(now.minus(adjustmentTime)));
  }
}
