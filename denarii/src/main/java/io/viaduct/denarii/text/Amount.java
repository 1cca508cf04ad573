package io.viaduct.denarii.text;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Amounts of money. Billing counts micro-denarii; people read and write denarii.
public final class Amount {
  private static final Pattern WRITTEN =
      Pattern.compile("([0-9]{1,12}(?:\\.[0-9]{1,6})?) ?(den|mden|µden|uden)?");
  private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_EVEN);

  private static final double SMALLEST = 0.001;

  private Amount() {}

  /// Returns what a written amount means, in micro-denarii: `5`, `2.5den`, `800mden`, `1µden`.
  ///
  /// @throws IllegalArgumentException if it is no amount, or no whole number of micro-denarii
  public static long parse(String written) {
    Matcher amount = WRITTEN.matcher(written.strip());
    if (!amount.matches()) {
      throw new IllegalArgumentException(
          "an amount is a number with at most six decimals and a unit (den, mden, µden; without one, den), such as 2.5den; got '%s'"
              .formatted(written));
    }
    int shift =
        switch (amount.group(2)) {
          case "mden" -> 3;
          case "µden", "uden" -> 0;
          case null, default -> 6;
        };
    try {
      return new BigDecimal(amount.group(1)).movePointRight(shift).longValueExact();
    } catch (ArithmeticException _) {
      throw new IllegalArgumentException(
          "an amount is a whole number of micro-denarii, got '%s'".formatted(written));
    }
  }

  /// Returns an amount with all its digits, in denarii: `12.345678 den`.
  ///
  /// @param microdenarii as billing writes it
  public static String exact(String microdenarii) {
    BigDecimal denarii = new BigDecimal(microdenarii).movePointLeft(6).stripTrailingZeros();
    return (denarii.signum() == 0 ? "0" : denarii.toPlainString()) + " den";
  }

  /// Returns an amount with three significant digits and a fitting unit: `12.3 den`, `840 mden`.
  ///
  /// @param microdenarii as billing writes it
  public static String rounded(String microdenarii) {
    BigDecimal amount = new BigDecimal(microdenarii).round(THREE_DIGITS);
    long size = amount.abs().longValue();
    if (size >= 1_000_000) {
      return plain(amount.movePointLeft(6)) + " den";
    }
    return size >= 1000
        ? plain(amount.movePointLeft(3)) + " mden"
        : plain(amount) + (size == 0 ? " den" : " µden");
  }

  /// Returns a number with three significant digits, without an exponent; one that nobody could
  /// read so as `< 0.001`.
  public static String number(double value) {
    if (!Double.isFinite(value)) {
      return String.format(Locale.ROOT, "%s", value);
    }
    if (value != 0 && Math.abs(value) < SMALLEST) {
      return value < 0 ? "> -0.001" : "< 0.001";
    }
    return plain(new BigDecimal(value).round(THREE_DIGITS));
  }

  private static String plain(BigDecimal number) {
    return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
  }
}
