package io.viaduct.billing.credit;

import io.viaduct.billing.credit.HighestPrices.Bound;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.rating.Use;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The quotas of an account while they are decided about, and its credit, which each change keeps
/// up to date. It reads and stores nothing.
///
/// While an application waits for credit, each of the others gets a share of what is free at its
/// next request. A quota that waits and one that holds credit are never of the same application.
final class AccountQuotas {
  /// An application that is refused again within this time wakes nobody.
  private static final Duration QUIET = Duration.ofSeconds(1);

  private record Key(SessionKey session, Application application) {
    static Key of(Quota quota) {
      return new Key(quota.session(), quota.application());
    }
  }

  /// The highest price of an application at the SNAPT of a session.
  interface Prices {
    Bound of(SessionKey session, Application application);
  }

  private final GrantRules rules;
  private final Prices prices;
  private final Instant now;
  private final Map<Key, Quota> quotas = new LinkedHashMap<>();
  private final Map<Key, Quota> before;
  private final Set<Key> changed = new LinkedHashSet<>();
  private final MicroDenarii reservedBefore;
  private AccountCredit credit;

  /// @param known all quotas of the account
  /// @param credit credit of the account, with the reservations of the quotas
  AccountQuotas(
      Collection<Quota> known, GrantRules rules, Prices prices, AccountCredit credit, Instant now) {
    this.rules = rules;
    this.prices = prices;
    this.credit = credit;
    this.now = now;
    reservedBefore = credit.reserved();
    known.forEach(quota -> quotas.put(Key.of(quota), quota));
    before = Map.copyOf(quotas);
  }

  @Nullable Quota find(SessionKey session, Application application) {
    return quotas.get(new Key(session, application));
  }

  List<Quota> all() {
    return List.copyOf(quotas.values());
  }

  List<Quota> ofSession(SessionKey session) {
    return quotas.values().stream().filter(quota -> quota.session().equals(session)).toList();
  }

  Bound price(Quota quota) {
    return prices.of(quota.session(), quota.application());
  }

  Bound price(SessionKey session, Application application) {
    return prices.of(session, application);
  }

  /// Replaces a quota.
  Quota put(Quota quota) {
    Key key = Key.of(quota);
    Quota known = quotas.put(key, quota);
    credit =
        credit.reserving(known == null ? MicroDenarii.ZERO : known.reserved(), quota.reserved());
    changed.add(key);
    return quota;
  }

  /// Forgets a quota that reserves nothing.
  void remove(Quota spent) {
    quotas.remove(Key.of(spent));
  }

  /// Releases what is left of a grant.
  Quota release(Quota quota) {
    return put(quota.released(price(quota)));
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

  /// Grants once more to the quotas of some sessions that were cut, those first that wait.
  ///
  /// @return the quotas with their grants
  List<Quota> regrant(Set<SessionKey> sessions) {
    return all().stream()
        .filter(quota -> quota.isCut() && sessions.contains(quota.session()))
        .sorted(Comparator.comparing(quota -> !quota.isWaiting()))
        .map(this::regrant)
        .toList();
  }

  // One that gets nothing more has not asked, so neither its interest nor what is left of its grant
  // lasts longer: more time costs more.
  private Quota regrant(Quota quota) {
    Quota granted = grant(quota);
    return granted.allowed().equals(quota.allowed()) ? put(quota) : granted;
  }

  /// Grants what the credit allows, or the share of it. A share that pays no grant helps nobody, so
  /// then the quota gets all: its use is charged soon, and frees the rest.
  Quota grant(Quota quota) {
    Bound price = price(quota);
    long others = waitingBeside(quota);
    if (others > 0) {
      Quota bare = quota.grace().hasBegun() ? quota : quota.keeping(Use.NONE, price);
      Quota shared = rules.grant(bare, price, share(bare, quota, price, others), now);
      if (shared.hasRest()) {
        return put(shared);
      }
    }
    return put(rules.grant(quota, price, credit.spendable(), now));
  }

  // The free credit may be spent without the grants of this quota. The use that is not charged
  // yet stays reserved in any case.
  private MicroDenarii share(Quota bare, Quota quota, Bound price, long others) {
    MicroDenarii owed = bare.keeping(Use.NONE, price).reserved();
    long free = credit.spendable().plus(quota.reserved()).minus(owed).value();
    long shared = free > 0 ? free / (others + 1) : free;
    return owed.plus(new MicroDenarii(shared)).minus(bare.reserved());
  }

  private long waitingBeside(Quota quota) {
    return quotas.values().stream()
        .filter(Quota::isWaiting)
        .filter(each -> !Key.of(each).equals(Key.of(quota)))
        .count();
  }

  /// Returns whether an application waits for credit.
  boolean isAnyWaiting() {
    return quotas.values().stream().anyMatch(Quota::isWaiting);
  }

  /// Returns the sessions that hold credit: quotas that are not used, kept for a grace, or used and
  /// not charged yet. Calls of other nodes are not asked: their grants last for seconds.
  Set<SessionKey> holders() {
    Set<SessionKey> holders = new LinkedHashSet<>();
    quotas.values().stream()
        .filter(quota -> quota.reserved().value() > 0 && !quota.session().isCall())
        .forEach(quota -> holders.add(quota.session()));
    return holders;
  }

  /// Returns whether the applications that wait must be looked at again: credit has been given
  /// back, or another one waits.
  boolean hasNews() {
    boolean isFreed = credit.reserved().compareTo(reservedBefore) < 0;
    return isAnyWaiting() && (isFreed || changed.stream().anyMatch(this::waitsAnew));
  }

  private boolean waitsAnew(Key key) {
    Quota is = quotas.get(key);
    Quota was = before.get(key);
    return is != null
        && is.isWaiting()
        && (was == null
            || !was.isWaiting()
            || is.validUntil().minus(QUIET).isAfter(was.validUntil()));
  }

  boolean hasChanged(Quota quota) {
    return changed.contains(Key.of(quota));
  }

  List<Quota> changed() {
    return changed.stream().map(quotas::get).toList();
  }

  /// Returns the credit after all changes.
  AccountCredit credit() {
    return credit;
  }
}
