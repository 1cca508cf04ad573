package io.viaduct.webgui.operator;

import java.util.Arrays;
import java.util.Locale;

/// The reasons for which billing holds a report.
enum HoldReason {
  UNKNOWN_ACCOUNT,
  ACCOUNT_INACTIVE,
  NO_TOKEN,
  TOKEN_KEY_UNKNOWN,
  OVER_CHARGE_BOUND,
  OVER_UNSIGNED_BOUND;

  static boolean isOne(String word) {
    return Arrays.stream(values())
        .anyMatch(reason -> reason.name().equals(word.toUpperCase(Locale.ROOT)));
  }
}
