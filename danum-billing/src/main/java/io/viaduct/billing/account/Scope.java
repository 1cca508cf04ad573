package io.viaduct.billing.account;

import java.util.Locale;
import java.util.Optional;

/// A part of an account's rights that an API token may have. `AccessRules` lists the requests of
/// each scope.
public enum Scope {
  /// Every request that changes nothing.
  READ,
  /// Accounts, devices, limits, caps and blocks.
  ACCOUNTS,
  /// Top-ups, credits, grants, allowances, vouchers, payments and re-ratings.
  MONEY,
  /// Tariffs, drafts and surcharges.
  TARIFFS,
  /// Enrolment of SNAPTs.
  SNAPTS,
  /// Decisions about reports, and verifications of the ledger.
  REPORTS,
  /// Webhooks.
  WEBHOOKS;

  /// Returns the name that the database and the interfaces use, e.g. `read`.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Returns the scope with this name; empty if there is none.
  public static Optional<Scope> of(String word) {
    for (Scope scope : values()) {
      if (scope.word().equals(word)) {
        return Optional.of(scope);
      }
    }
    return Optional.empty();
  }
}
