package io.viaduct.billing.account;

import java.util.Locale;

/// The data that an account may see: its own, or everything.
public enum Role {
  USER,
  OPERATOR;

  /// Returns the name that the database and the interfaces use.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Role of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
