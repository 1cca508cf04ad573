package io.viaduct.billing.credit;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Use;
import io.viaduct.usage.v1.CreditResult;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// One decision about the quotas of an account, inside the transaction that holds its lock. It
/// keeps the credit up to date while quotas change, and stores the changed ones at the end.
final class Decision {
  private record Key(SessionKey session, Application application) {
    static Key of(Quota quota) {
      return new Key(quota.session(), quota.application());
    }
  }

  private final Quotas store;
  private final GrantRules rules;
  private final HighestPrices prices;
  private final Instant now;
  private final Map<Key, Quota> quotas = new LinkedHashMap<>();
  private final Set<Key> changed = new LinkedHashSet<>();
  private AccountCredit credit;
  private boolean isRefused;
  private boolean isCapped;
  private CreditResult result;

  Decision(
      Quotas store, GrantRules rules, HighestPrices prices, AccountCredit credit, Instant now) {
    this.store = store;
    this.rules = rules;
    this.prices = prices;
    this.credit = credit;
    this.now = now;
    result = credit.isActive() ? CreditResult.SUCCESS : CreditResult.ACCOUNT_BLOCKED;
    store.ofAccount(credit.account()).forEach(quota -> quotas.put(Key.of(quota), quota));
  }

  /// Releases the grants whose time is over: their SNAPT has not asked again.
  ///
  /// @return number of released grants
  int releaseLapsed() {
    List<Quota> lapsed =
        quotas.values().stream()
            .filter(quota -> quota.validUntil().isBefore(now))
            .filter(quota -> quota.hasRest() || quota.isCut())
            .toList();
    lapsed.forEach(this::release);
    return lapsed.size();
  }

  /// Releases what is left of all grants of a session.
  void releaseAll(SessionKey session) {
    ofSession(session).forEach(this::release);
  }

  private void release(Quota quota) {
    put(quota.released(prices.of(quota)));
  }

  List<Quota> ofSession(SessionKey session) {
    return quotas.values().stream().filter(quota -> quota.session().equals(session)).toList();
  }

  /// Takes over what a SNAPT has told, and releases the rest of the grant.
  ///
  /// @throws RequestRefusedException if the session has too many applications that still carry, or
  ///   whose use is not charged yet
  Quota tell(SessionKey session, UsedByApplication told) {
    Quota known = quotas.get(new Key(session, told.application()));
    if (known == null) {
      makeRoom(session);
      known =
          Quota.first(session, told.application(), store.covered(session, told.application()), now);
    }
    return put(known.told(told, prices.of(session, told.application())));
  }

  // A quota whose use is charged says nothing that the posted reports do not say.
  private void makeRoom(SessionKey session) {
    List<Quota> known = ofSession(session);
    if (known.size() < SessionRequest.APPLICATIONS_MAX) {
      return;
    }
    Quota spent =
        known.stream()
            .filter(quota -> quota.isSpent() && !changed.contains(Key.of(quota)))
            .findFirst()
            .orElseThrow(() ->
                new RequestRefusedException(
                    "a session has at most %d applications at a time"
                        .formatted(SessionRequest.APPLICATIONS_MAX)));
    quotas.remove(Key.of(spent));
    store.delete(spent);
  }

  /// Takes over seconds of a call that are charged already, and releases the rest of its grant.
  Quota tellCall(SessionKey session, long seconds, Bound price) {
    Quota known = quotas.get(new Key(session, Application.CALL));
    Quota before = known == null ? Quota.first(session, Application.CALL, Use.NONE, now) : known;
    Use used = Use.ofSeconds(seconds);
    UsedByApplication told =
        new UsedByApplication(Application.CALL, before.used().plus(used), 0, 1);
    return put(before.told(told, price).covered(used, price));
  }

  /// Grants seconds of a call as far as the credit goes, and notes if it is less than what is
  /// wanted.
  ///
  /// @param until end of the grant
  Quota grantSeconds(Quota quota, long seconds, Instant until, Bound price) {
    if (!credit.isActive()) {
      return quota;
    }
    return noted(put(GrantRules.grantSeconds(quota, seconds, until, price, credit.spendable())));
  }

  /// Decides what an application gets that has told its use: one without an open flow releases its
  /// quota.
  Quota decide(Quota told) {
    return told.flows() == 0 ? put(told.released(prices.of(told))) : grant(told);
  }

  /// Grants what the credit allows, and notes if it is less than what is needed.
  Quota grant(Quota quota) {
    if (!credit.isActive()) {
      return put(GrantRules.nothing(quota.keeping(Use.NONE, prices.of(quota)), now));
    }
    return noted(put(rules.grant(quota, prices.of(quota), credit.spendable(), now)));
  }

  private Quota noted(Quota granted) {
    if (!granted.hasRest() || granted.grace().hasBegun()) {
      CreditResult shortage = credit.shortage();
      isRefused |= shortage == CreditResult.CREDIT_LIMIT_REACHED;
      isCapped |= shortage == CreditResult.SPENDING_CAP_REACHED;
      result = granted.hasRest() ? result : shortage;
    }
    return granted;
  }

  private Quota put(Quota quota) {
    Key key = Key.of(quota);
    Quota before = quotas.put(key, quota);
    credit =
        credit.reserving(before == null ? MicroDenarii.ZERO : before.reserved(), quota.reserved());
    changed.add(key);
    return quota;
  }

  /// Stores the changed quotas.
  void save() {
    store.save(credit.account(), changed.stream().map(quotas::get).toList());
  }

  /// Returns the credit after all changes.
  AccountCredit credit() {
    return credit;
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
