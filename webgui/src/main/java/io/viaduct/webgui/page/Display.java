package io.viaduct.webgui.page;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Formats quantities for the pages. A dash stands for a quantity that was not measured. Numbers
/// keep one form in all languages: point for decimals, comma for thousands, UTC for time.
public final class Display {
  /// Shown for a quantity that is not known.
  public static final String UNKNOWN = "\u2013";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final MathContext SIX_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);
  private static final String[] BYTE_UNITS = {"B", "kB", "MB", "GB", "TB", "PB"};
  private static final String[] BIT_UNITS = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};

  /// UTC to the second.
  public String time(@Nullable Instant at) {
    return at == null ? UNKNOWN : TIME.format(at);
  }

  /// All digits, thousands separated.
  public String whole(@Nullable Number value) {
    return value == null ? UNKNOWN : String.format(Locale.ROOT, "%,d", value.longValue());
  }

  /// One decimal, thousands separated.
  public String tenths(@Nullable Double value) {
    return value == null ? UNKNOWN : String.format(Locale.ROOT, "%,.1f", value);
  }

  /// Six significant digits, no exponent, no trailing zeros.
  public String significant(@Nullable Double value) {
    if (value == null || !Double.isFinite(value)) {
      return UNKNOWN;
    }
    BigDecimal rounded = new BigDecimal(value).round(SIX_DIGITS).stripTrailingZeros();
    return rounded.toPlainString();
  }

  /// A ratio 0..1 as a percentage with two decimals.
  public String percentOfRatio(@Nullable Double ratio) {
    return ratio == null ? UNKNOWN : String.format(Locale.ROOT, "%.2f", ratio * 100);
  }

  /// Decimal multiples, as tariffs count them: `2.39 MB`.
  public String bytes(long bytes) {
    return scaled(bytes, BYTE_UNITS);
  }

  /// `4.80 Mbit/s`.
  public String bitRate(double bitPerSecond) {
    return scaled(bitPerSecond, BIT_UNITS);
  }

  /// Seconds with one decimal.
  public String seconds(@Nullable Long milliseconds) {
    return milliseconds == null ? UNKNOWN : tenths(milliseconds / 1000.0);
  }

  /// `HT_LD` as people write it: `HT&LD`.
  public String serviceClass(@Nullable String name) {
    return name == null ? UNKNOWN : name.replace('_', '&');
  }

  /// An IP protocol number by its name, where people know it by name (IANA protocol numbers).
  public String protocol(@Nullable String number) {
    return switch (number) {
      case "1" -> "ICMP";
      case "6" -> "TCP";
      case "17" -> "UDP";
      case "58" -> "ICMPv6";
      case null, default -> text(number);
    };
  }

  /// A text that people chose. Rows from before there was a rule may hold control and format
  /// characters, such as U+202E, that change how the text around them is read: they show as U+FFFD.
  public String name(@Nullable String chosen) {
    return text(
        chosen == null
            ? null
            : chosen.replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}]", "\ufffd"));
  }

  public String text(@Nullable String text) {
    return text == null || text.isBlank() ? UNKNOWN : text;
  }

  /// Part of a whole in percent, 0..100, for a bar.
  public int share(long part, long whole) {
    return whole <= 0 ? 0 : (int) Math.clamp(Math.round(100.0 * part / whole), 0, 100);
  }

  private static String scaled(double value, String[] units) {
    int unit = 0;
    double scaled = value;
    while (Math.abs(scaled) >= 1000 && unit < units.length - 1) {
      scaled /= 1000;
      unit++;
    }
    return String.format(
        Locale.ROOT, unit == 0 ? "%.0f\u00a0%s" : "%.2f\u00a0%s", scaled, units[unit]);
  }
}
