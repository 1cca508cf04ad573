package io.viaduct.billing.account;

import java.util.Locale;

/// The rights of an account at the interface. `AccessRules` lists which role may send which
/// request.
public enum Role {
  /// Reads and changes its own account.
  USER,
  /// Reads and changes everything.
  OPERATOR,
  /// Reads everything and changes nothing but its own log-in.
  AUDITOR,
  /// Reads the SNAPTs that it owns and their fees. The owner's name is the id of the account.
  SNAPT_OWNER;

  /// Returns the name that the database and the interfaces use, e.g. `snapt-owner`.
  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Returns true if this role reads the data of every account.
  public boolean readsAll() {
    return this == OPERATOR || this == AUDITOR;
  }

  /// Returns the role with this name.
  ///
  /// @throws IllegalArgumentException if there is none
  public static Role of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
