package io.viaduct.billing.account;

import java.util.Locale;

/// The state of an account, which decides its rights. It changes between active and suspended, and
/// from either to closed.
public enum AccountState {
  /// No restriction.
  ACTIVE,
  /// The account can read its bill and change its password. It cannot register and gets no token.
  SUSPENDED,
  /// The account can do nothing, for ever. Its id and its money stay in the ledger.
  CLOSED;

  /// Returns the name that the database and the interfaces use.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static AccountState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
