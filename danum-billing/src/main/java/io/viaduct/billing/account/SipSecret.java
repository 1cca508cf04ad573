package io.viaduct.billing.account;

import java.util.Locale;

/// The secret that the devices of an account register with.
public enum SipSecret {
  /// No secret: the account cannot register.
  NONE,
  /// The password of the pages. Changing one changes both.
  SHARED,
  /// A separate secret, or digests whose password billing never saw.
  SEPARATE;

  /// Returns the name that the database and the interfaces use.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SipSecret of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
