package io.viaduct.webgui.page;

import io.viaduct.webgui.billing.MicroDenarii;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/// Writes numbers with three significant digits. Rounds as JavaScript's `toPrecision` does: from
/// the exact value of the double, halves up.
final class Quantity {
  private static final int DIGITS = 3;
  private static final MathContext THREE = new MathContext(DIGITS, RoundingMode.HALF_UP);
  private static final String[] PREFIXES = {"n", "\u00b5", "m", "", "k", "M", "G", "T", "P", "E"};
  private static final int NO_PREFIX = 3;
  private static final BigDecimal THOUSAND = BigDecimal.valueOf(1000);

  private Quantity() {}

  /// Prefixes from nano to exa; what rounds to less than 1 nano is written so.
  static String scaled(double value, String unit) {
    return Double.isFinite(value) ? write(new BigDecimal(value), unit, 0) : Display.UNKNOWN;
  }

  /// Prefixes from none to exa, for what is counted: bytes, bits.
  static String counted(double value, String unit) {
    return Double.isFinite(value) ? write(new BigDecimal(value), unit, NO_PREFIX) : Display.UNKNOWN;
  }

  /// No unit and no prefix, thousands separated.
  static String plain(double value) {
    return Double.isFinite(value) ? number(new BigDecimal(value).round(THREE)) : Display.UNKNOWN;
  }

  /// Below 1000 den as any quantity, above in whole denarii.
  static String money(BigDecimal denarii) {
    if (denarii.abs().round(THREE).compareTo(THOUSAND) >= 0) {
      return number(denarii.setScale(0, RoundingMode.HALF_UP)) + "\u00a0den";
    }
    return write(denarii, "den", 0);
  }

  private static String write(BigDecimal value, String unit, int lowest) {
    if (value.signum() == 0) {
      return "0\u00a0" + unit;
    }
    BigDecimal rounded = value.round(THREE);
    int prefix = lowest;
    while (prefix < PREFIXES.length - 1
        && rounded.abs().compareTo(BigDecimal.ONE.scaleByPowerOfTen(power(prefix + 1))) >= 0) {
      prefix++;
    }
    BigDecimal scaled = rounded.scaleByPowerOfTen(-power(prefix));
    if (lowest == 0 && scaled.abs().compareTo(BigDecimal.ONE) < 0) {
      return (scaled.signum() < 0 ? "> \u2212" : "< ") + "1\u00a0" + PREFIXES[prefix] + unit;
    }
    return number(scaled) + "\u00a0" + PREFIXES[prefix] + unit;
  }

  private static int power(int prefix) {
    return (prefix - NO_PREFIX) * 3;
  }

  /// Three digits, zeros at the end included; integers of more digits keep them all.
  private static String number(BigDecimal rounded) {
    if (rounded.signum() == 0) {
      return "0";
    }
    int decimals = Math.max(0, DIGITS - (rounded.precision() - rounded.scale()));
    return grouped("%,." + decimals + "f", rounded);
  }

  /// Formats with groups of three digits, and a true minus sign.
  static String grouped(String format, Number number) {
    return String.format(Locale.ROOT, format, number)
        .replace(',', MicroDenarii.THOUSANDS)
        .replace('-', '\u2212');
  }
}
