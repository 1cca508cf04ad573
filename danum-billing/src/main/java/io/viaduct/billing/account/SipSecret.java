package io.viaduct.billing.account;

import java.util.Locale;

/// Which secret the devices of an account register with.
public enum SipSecret {
  /// None: the account cannot register.
  NONE,
  /// The password of the pages: one secret, changed together.
  SHARED,
  /// A secret of its own, or digests whose password billing never saw.
  SEPARATE;

  /// As stored and as the interfaces write it.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static SipSecret of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
