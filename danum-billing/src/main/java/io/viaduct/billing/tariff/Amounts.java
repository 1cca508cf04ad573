package io.viaduct.billing.tariff;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/// The optional amounts of a tariff: a map from what an amount is for to the amount. What a tariff
/// does not name does not apply.
final class Amounts {
  private Amounts() {}

  /// Returns an unmodifiable copy.
  ///
  /// @throws TariffRefusedException naming the key of an amount outside 0..most
  static <K extends Enum<K>> Map<K, Double> upTo(
      double most, TariffRule rule, String place, Map<K, Double> amounts) {
    amounts.forEach((what, amount) -> {
      if (!(amount >= 0 && amount <= most)) {
        throw TariffRefusedException.ofKey(
            rule,
            place + "." + what,
            "%s.%s must be between 0 and %s, got %s".formatted(place, what, most, amount));
      }
    });
    return Collections.unmodifiableMap(new TreeMap<>(amounts));
  }
}
