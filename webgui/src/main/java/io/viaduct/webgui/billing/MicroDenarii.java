package io.viaduct.webgui.billing;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.util.Locale;

/// Money: integer millionths of a denarius, a decimal string in JSON.
public record MicroDenarii(long value) {
  public static final MicroDenarii ZERO = new MicroDenarii(0);

  /// Stands between groups of three digits: a narrow space that does not break.
  public static final char THOUSANDS = '\u202f';

  private static final int DECIMALS = 6;

  @JsonCreator
  public static MicroDenarii parse(String text) {
    return new MicroDenarii(Long.parseLong(text));
  }

  /// Parses an amount in denarii as a person types it: `12`, `0.5`, `0,5`, `1.000001`. Three digits
  /// behind a comma could be thousands as well, so they are refused.
  ///
  /// @throws NumberFormatException if it is no plain number with at most six decimals
  public static MicroDenarii ofDenarii(String text) {
    String plain = text.strip();
    if (!plain.matches("\\d{1,12}([.,]\\d{1,6})?") || plain.matches("\\d{1,12},\\d{3}")) {
      throw new NumberFormatException(
          "an amount is digits with at most six decimals behind a point or a comma; three digits"
              + " behind a comma could be thousands");
    }
    return new MicroDenarii(
        new BigDecimal(plain.replace(',', '.')).movePointRight(DECIMALS).longValueExact());
  }

  public MicroDenarii negated() {
    return new MicroDenarii(-value);
  }

  @JsonValue
  public String json() {
    return Long.toString(value);
  }

  /// The amount in denarii.
  public BigDecimal exactly() {
    return BigDecimal.valueOf(value, DECIMALS);
  }

  /// `-1 234.567890`, with a true minus sign and a narrow space.
  public String denarii() {
    return written(exactly());
  }

  private static String written(BigDecimal denarii) {
    return String.format(Locale.ROOT, "%,.6f", denarii)
        .replace(',', THOUSANDS)
        .replace('-', '\u2212');
  }

  /// As [#denarii], with a minus sign if it takes from a charge: a discount of 5 shows as −5.
  public String deducted() {
    return written(exactly().negate());
  }

  public boolean isNegative() {
    return value < 0;
  }
}
