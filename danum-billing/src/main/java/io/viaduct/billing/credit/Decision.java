package io.viaduct.billing.credit;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.rating.Use;
import io.viaduct.usage.v1.CreditResult;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/// One decision about the quotas of an account, inside the transaction that holds its lock. It
/// stores the changed quotas at the end.
final class Decision {
  private final Quotas store;
  private final AccountQuotas quotas;
  private final Instant now;
  private boolean isRefused;
  private boolean isCapped;
  private CreditResult result;

  Decision(
      Quotas store, GrantRules rules, HighestPrices prices, AccountCredit credit, Instant now) {
    this.store = store;
    this.now = now;
    quotas = new AccountQuotas(store.ofAccount(credit.account()), rules, prices::of, credit, now);
    result = credit.isActive() ? CreditResult.SUCCESS : CreditResult.ACCOUNT_BLOCKED;
  }

  /// Releases the grants whose time is over: their SNAPT has not asked again.
  ///
  /// @return number of released grants
  int releaseLapsed() {
    return quotas.releaseLapsed();
  }

  /// Releases what is left of all grants of a session.
  void releaseAll(SessionKey session) {
    ofSession(session).forEach(quotas::release);
  }

  List<Quota> ofSession(SessionKey session) {
    return quotas.ofSession(session);
  }

  /// Takes over what a SNAPT has told, and releases the rest of the grant.
  ///
  /// @throws RequestRefusedException if the session has too many applications that still carry, or
  ///   whose use is not charged yet
  Quota tell(SessionKey session, UsedByApplication told) {
    Quota known = quotas.find(session, told.application());
    if (known == null) {
      makeRoom(session);
      known =
          Quota.first(session, told.application(), store.covered(session, told.application()), now);
    }
    return quotas.put(known.told(told, quotas.price(session, told.application())));
  }

  // A quota whose use is charged says nothing that the posted reports do not say.
  private void makeRoom(SessionKey session) {
    List<Quota> known = ofSession(session);
    if (known.size() < SessionRequest.APPLICATIONS_MAX) {
      return;
    }
    Quota spent =
        known.stream()
            .filter(quota -> quota.isSpent() && !quotas.hasChanged(quota))
            .findFirst()
            .orElseThrow(() ->
                new RequestRefusedException(
                    "a session has at most %d applications at a time"
                        .formatted(SessionRequest.APPLICATIONS_MAX)));
    quotas.remove(spent);
    store.delete(spent);
  }

  /// Takes over seconds of a call that are charged already, and releases the rest of its grant.
  Quota tellCall(SessionKey session, long seconds, Bound price) {
    Quota known = quotas.find(session, Application.CALL);
    Quota before = known == null ? Quota.first(session, Application.CALL, Use.NONE, now) : known;
    Use used = Use.ofSeconds(seconds);
    UsedByApplication told =
        new UsedByApplication(Application.CALL, before.used().plus(used), 0, 1);
    return quotas.put(before.told(told, price).covered(used, price));
  }

  /// Grants seconds of a call as far as the credit goes, and notes if it is less than what is
  /// wanted.
  ///
  /// @param until end of the grant
  Quota grantSeconds(Quota quota, long seconds, Instant until, Bound price) {
    if (!credit().isActive()) {
      return quota;
    }
    return noted(
        quotas.put(GrantRules.grantSeconds(quota, seconds, until, price, credit().spendable())));
  }

  /// Decides what an application gets that has told its use: one without an open flow releases its
  /// quota.
  Quota decide(Quota told) {
    if (told.flows() == 0) {
      return quotas.release(told);
    }
    return credit().isActive() ? noted(quotas.grant(told)) : blocked(told);
  }

  private Quota blocked(Quota quota) {
    return quotas.put(GrantRules.nothing(quota.keeping(Use.NONE, quotas.price(quota)), now));
  }

  /// Decides again about the quotas of some sessions that were cut.
  void regrant(Set<SessionKey> sessions) {
    if (credit().isActive()) {
      quotas.regrant(sessions).forEach(this::noted);
    } else {
      sessions.forEach(session -> ofSession(session).forEach(this::blocked));
    }
  }

  private Quota noted(Quota granted) {
    if (!granted.hasRest() || granted.grace().hasBegun()) {
      CreditResult shortage = credit().shortage();
      isRefused |= shortage == CreditResult.CREDIT_LIMIT_REACHED;
      isCapped |= shortage == CreditResult.SPENDING_CAP_REACHED;
      result = granted.hasRest() ? result : shortage;
    }
    return granted;
  }

  /// Stores the changed quotas.
  void save() {
    store.save(credit().account(), quotas.changed());
  }

  /// Stores the changed quotas, and lets the account be looked at again if an application waits for
  /// credit that is free now, or waits anew.
  void saveAndWake() {
    save();
    if (credit().isActive() && quotas.hasNews()) {
      store.wake(List.of(credit().account()));
    }
  }

  /// Returns the sessions that are to give back what they do not need, because an application
  /// waits.
  Set<SessionKey> reauthorised() {
    return credit().isActive() && quotas.isAnyWaiting() ? quotas.holders() : Set.of();
  }

  /// Returns the credit after all changes.
  AccountCredit credit() {
    return quotas.credit();
  }

  /// Returns SUCCESS if every application got something, else the reason.
  CreditResult result() {
    return result;
  }

  /// Returns what was refused, for the notices.
  CreditNotices.Refused refused() {
    return new CreditNotices.Refused(isRefused, isCapped);
  }
}
