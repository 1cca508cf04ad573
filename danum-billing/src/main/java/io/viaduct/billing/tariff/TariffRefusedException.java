package io.viaduct.billing.tariff;

/// Thrown for a tariff that would bill wrongly. The message names the table, the knot and the rule.
/// It is shown to the operator who sent the tariff.
public final class TariffRefusedException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final TariffRule rule;

  /// Refuses a tariff.
  ///
  /// @param rule the broken rule
  /// @param message value and rule in words
  public TariffRefusedException(TariffRule rule, String message) {
    super(message);
    this.rule = rule;
  }

  /// Returns the broken rule.
  public TariffRule rule() {
    return rule;
  }

  /// Returns the same refusal with the place in the tariff in front of its message.
  TariffRefusedException in(String place) {
    return new TariffRefusedException(rule, place + ": " + getMessage());
  }
}
