package io.viaduct.billing.configuration;

import java.time.Duration;

/// Rules for values of the configuration. A refusal names the rule and the value.
final class Rules {
  static final long DENARII_MAX = 1_000_000_000L;

  private Rules() {}

  /// Requires that a rule holds.
  ///
  /// @param rule what the value must be, as text
  /// @throws IllegalArgumentException if it does not
  static void require(boolean holds, String rule, String value) {
    if (!holds) {
      throw new IllegalArgumentException(rule + ", got '" + value + "'");
    }
  }

  /// Requires a time of a range, whose ends belong to it.
  ///
  /// @throws IllegalArgumentException for another one
  static void between(String key, Duration value, Duration least, Duration most) {
    require(
        value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
        key + " must be between " + least + " and " + most,
        value.toString());
  }
}
