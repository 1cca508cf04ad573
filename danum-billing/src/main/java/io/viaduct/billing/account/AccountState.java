package io.viaduct.billing.account;

import java.util.Locale;

/// What an account may do. It goes from active to suspended and back, and from either to closed.
public enum AccountState {
  /// Everything.
  ACTIVE,
  /// Look at its bill and change its password; no registration, no token.
  SUSPENDED,
  /// Nothing, for ever. Its id and its money stay in the ledger.
  CLOSED;

  /// As stored and as the interfaces write it.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static AccountState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
