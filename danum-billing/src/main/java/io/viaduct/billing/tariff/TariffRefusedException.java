package io.viaduct.billing.tariff;

import java.util.OptionalInt;

/// Thrown for a tariff that would bill wrongly. The message names the table, the knot and the rule.
/// It is shown to the operator who sent the tariff. Place and knot say the same to a program, such
/// as the editor of tariffs.
public final class TariffRefusedException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;
  private static final int NO_KNOT = -1;

  private final TariffRule rule;
  private final String place;
  private final int knot;

  /// Refuses a tariff as a whole.
  ///
  /// @param rule the broken rule
  /// @param message value and rule in words
  public TariffRefusedException(TariffRule rule, String message) {
    this(rule, "", NO_KNOT, message);
  }

  private TariffRefusedException(TariffRule rule, String place, int knot, String message) {
    super(message);
    this.rule = rule;
    this.place = place;
    this.knot = knot;
  }

  /// Refuses the value of a key. The message names the key.
  static TariffRefusedException ofKey(TariffRule rule, String key, String message) {
    return new TariffRefusedException(rule, key, NO_KNOT, message);
  }

  /// Refuses a knot of a table. The message names the knot.
  ///
  /// @param knot index of the knot, from 0 on
  static TariffRefusedException ofKnot(TariffRule rule, int knot, String message) {
    return new TariffRefusedException(rule, "", knot, message);
  }

  /// Returns the broken rule.
  public TariffRule rule() {
    return rule;
  }

  /// Returns the keys that lead to the refused value, with points between them, such as
  /// `classes.LT_LD.throughput-marginal`; empty for the tariff as a whole.
  public String place() {
    return place;
  }

  /// Returns the index of the refused knot, from 0 on; empty if no knot is refused.
  public OptionalInt knot() {
    return knot == NO_KNOT ? OptionalInt.empty() : OptionalInt.of(knot);
  }

  /// Returns the same refusal with a word for the whole tariff in front of its message.
  TariffRefusedException inTariff() {
    return new TariffRefusedException(rule, place, knot, "tariff: " + getMessage());
  }

  /// Returns the same refusal with the place in the tariff in front of its message.
  TariffRefusedException in(String outer) {
    return new TariffRefusedException(
        rule, place.isEmpty() ? outer : outer + "." + place, knot, outer + ": " + getMessage());
  }
}
