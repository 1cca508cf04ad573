package io.viaduct.billing.credit;

import io.viaduct.billing.ledger.MicroDenarii;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reads what accounts may spend, and changes their limits and caps. Each change is pushed to the
/// account's sessions.
public final class CreditRules {
  private final CreditStore store;

  CreditRules(CreditStore store) {
    this.store = store;
  }

  /// Returns an account's credit; empty if there is no such account.
  public Optional<AccountCredit> find(String account, Instant now) {
    return store.find(account, now);
  }

  /// Replaces the credit limit.
  ///
  /// @param version version of the rules that the caller has seen
  /// @return false if the rules have changed since; then nothing is replaced
  public boolean limit(String account, long version, MicroDenarii limit) {
    return store.limit(account, version, limit);
  }

  /// Replaces the user's caps.
  ///
  /// @param version version of the rules that the caller has seen
  /// @return false if the rules have changed since; then nothing is replaced
  public boolean caps(String account, long version, AccountCredit.Caps caps) {
    return store.caps(account, version, caps);
  }

  /// Replaces the credit below which the user wants to be told.
  ///
  /// @param version version of the rules that the caller has seen
  /// @param low null for the operator's threshold
  /// @return false if the rules have changed since; then nothing is replaced
  public boolean alert(String account, long version, @Nullable MicroDenarii low) {
    return store.low(account, version, low);
  }

  /// Returns what the account has paid for its use in the last hour.
  public MicroDenarii spentInLastHour(String account, Instant now) {
    return store.spentSince(account, now.minusSeconds(3600));
  }

  /// Returns notices by their ids.
  public List<CreditNotice> notices(List<Long> ids) {
    return ids.isEmpty() ? List.of() : store.notices(ids);
  }

  /// Returns the rule that let the traffic of a charge pass: `quota`, `grace` (an application of
  /// low delay at zero credit), `beyond-quota` (billing was away, or the SNAPT disobeyed), or
  /// `none` at a SNAPT without credit control.
  public String passedBy(long charge) {
    return store.passedBy(charge);
  }
}
