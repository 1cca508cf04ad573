package io.viaduct.billing.account;

import java.util.Locale;

/// What an account may see: its own data, or everything.
public enum Role {
  USER,
  OPERATOR;

  /// As stored and as the interfaces write it.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Role of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
