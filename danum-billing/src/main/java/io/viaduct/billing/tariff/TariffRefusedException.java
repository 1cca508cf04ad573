package io.viaduct.billing.tariff;

/// A tariff that would bill wrongly. The message names the table, the knot and the rule, and is fit
/// for the operator who sent it.
public final class TariffRefusedException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final TariffRule rule;

  /// @param rule the rule that is broken
  /// @param message value and rule in words
  public TariffRefusedException(TariffRule rule, String message) {
    super(message);
    this.rule = rule;
  }

  /// The rule that is broken.
  public TariffRule rule() {
    return rule;
  }

  /// The same refusal, with the place in the tariff before its message.
  TariffRefusedException in(String place) {
    return new TariffRefusedException(rule, place + ": " + getMessage());
  }
}
