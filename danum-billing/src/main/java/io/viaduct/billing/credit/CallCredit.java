package io.viaduct.billing.credit;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.CallPrice;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Reserves credit for the seconds of calls that other nodes count (ADR 0069). A call has a quota
/// as an application of a session has one, in the same table and under the same lock. Its use is
/// charged in the transaction that takes it over, so only seconds that are not used yet are
/// reserved. The caller holds the [CreditLock] of the account.
public final class CallCredit {
  private final CreditStore store;
  private final CreditControl control;
  private final CreditNotices notices;

  CallCredit(CreditStore store, CreditControl control, CreditNotices notices) {
    this.store = store;
    this.control = control;
    this.notices = notices;
  }

  /// A request of a call whose use is charged already.
  ///
  /// @param originHost node that counts the seconds
  /// @param session Session-Id of the node
  /// @param number number of the request
  /// @param used seconds since the last request
  /// @param wanted seconds that are to be granted; 0 for none
  /// @param validity time after which the grant is void
  public record Wanted(
      String account,
      String originHost,
      String session,
      long number,
      long used,
      long wanted,
      CallPrice price,
      Duration validity) {
    SessionKey key() {
      return SessionKey.ofCall(originHost, session);
    }
  }

  /// Why a call got its seconds, or none.
  public enum Outcome {
    GRANTED,
    /// The credit, or a cap of the user, pays not one second.
    CREDIT_USED_UP,
    /// The account is blocked, suspended or closed.
    ACCOUNT_BLOCKED
  }

  /// The seconds that a call got.
  ///
  /// @param isLast true if the credit pays no more than these
  public record Granted(Outcome outcome, long seconds, boolean isLast) {}

  /// Releases what the call had, and reserves the seconds that it wants. A call that gets none has
  /// no quota any more.
  public Granted grant(Wanted wanted, Instant now) {
    store.heard(wanted.key(), wanted.account(), wanted.number(), false, now);
    Decision decision = control.decision(credit(wanted.account(), now), now);
    Bound price = new Bound(List.of(wanted.price()));
    Quota told = decision.tellCall(wanted.key(), wanted.used(), price);
    Instant until = now.plus(wanted.validity()).plus(GrantRules.LATE);
    Quota granted =
        wanted.wanted() == 0 ? told : decision.grantSeconds(told, wanted.wanted(), until, price);
    decision.saveAndWake();
    notices.look(decision.credit(), decision.refused(), now);
    long seconds = granted.allowed().bytes() - granted.used().bytes();
    if (seconds == 0) {
      end(wanted, now);
    }
    return new Granted(outcome(decision, seconds), seconds, granted.isCut());
  }

  private static Outcome outcome(Decision decision, long seconds) {
    if (!decision.credit().isActive()) {
      return Outcome.ACCOUNT_BLOCKED;
    }
    return seconds == 0 ? Outcome.CREDIT_USED_UP : Outcome.GRANTED;
  }

  private void end(Wanted wanted, Instant now) {
    store.heard(wanted.key(), wanted.account(), wanted.number(), true, now);
    store.quotas().sweep(List.of(wanted.key()));
  }

  /// Releases what a call has, because its time is over.
  public void release(String account, String originHost, String session, Instant now) {
    SessionKey key = SessionKey.ofCall(originHost, session);
    Decision decision = control.decision(credit(account, now), now);
    decision.releaseAll(key);
    decision.saveAndWake();
    store.session(key).ifPresent(known -> store.heard(key, account, known.number(), true, now));
    store.quotas().sweep(List.of(key));
  }

  /// Returns true if an account could pay an amount now.
  public boolean pays(String account, MicroDenarii amount, Instant now) {
    return store
        .find(account, now)
        .filter(AccountCredit::isActive)
        .filter(credit -> credit.spendable().compareTo(amount) >= 0)
        .isPresent();
  }

  private AccountCredit credit(String account, Instant now) {
    return store
        .find(account, now)
        .orElseThrow(() -> new IllegalStateException("account '" + account + "' has no credit"));
  }
}
