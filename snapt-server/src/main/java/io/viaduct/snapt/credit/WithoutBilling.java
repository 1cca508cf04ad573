package io.viaduct.snapt.credit;

import java.util.Locale;

/// Treatment of traffic without a quota while billing cannot be asked (RFC 8506,
/// Credit-Control-Failure-Handling).
public enum WithoutBilling {
  /// It is carried, and charged later.
  CONTINUE,
  /// It is refused.
  TERMINATE;

  /// Reads a value in lower case, as in a configuration file.
  ///
  /// @throws IllegalArgumentException if it is none
  public static WithoutBilling of(String text) {
    for (WithoutBilling each : values()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(text)) {
        return each;
      }
    }
    throw new IllegalArgumentException("must be continue or terminate, got '" + text + "'");
  }
}
