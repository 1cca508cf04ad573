package io.viaduct.diameter.credit;

import io.viaduct.diameter.message.AvpBuilder;
import io.viaduct.diameter.message.AvpGroup;
import java.math.BigDecimal;
import java.util.OptionalLong;

/// An amount of money, the CC-Money of a service (RFC 8506 section 8.22).
///
/// @param amount Value-Digits with their Exponent
/// @param currency Currency-Code, a number of ISO 4217; or empty
public record Money(BigDecimal amount, OptionalLong currency) {
  // A greater one is no amount of money, and would make a number of as many digits.
  private static final int EXPONENT_MAX = 30;

  /// Reads CC-Money. An amount without digits, or with an exponent beyond ±30, is zero.
  static Money of(AvpGroup money) {
    return new Money(
        money.group("Unit-Value").map(Money::value).orElse(BigDecimal.ZERO),
        money.number("Currency-Code"));
  }

  private static BigDecimal value(AvpGroup unit) {
    long exponent = unit.number("Exponent").orElse(0);
    return Math.abs(exponent) > EXPONENT_MAX
        ? BigDecimal.ZERO
        : BigDecimal.valueOf(unit.number("Value-Digits").orElse(0), (int) -exponent);
  }

  void writeTo(AvpBuilder units) {
    units.group(
        "CC-Money",
        money -> {
          money.group(
              "Unit-Value",
              unit ->
                  unit.add("Value-Digits", amount.unscaledValue().longValueExact())
                      .add("Exponent", -amount.scale()));
          currency.ifPresent(code -> money.add("Currency-Code", code));
        });
  }
}
