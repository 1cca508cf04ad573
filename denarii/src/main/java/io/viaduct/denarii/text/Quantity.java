package io.viaduct.denarii.text;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/// Bytes, rates, durations and times with the unit that fits.
public final class Quantity {
  private static final String[] BYTES = {"B", "kB", "MB", "GB", "TB", "PB"};
  private static final String[] BITS = {"kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
  private static final String[] PREFIXES = {"n", "µ", "m", "", "k", "M", "G"};
  private static final double[] POWERS = {1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9};
  private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_EVEN);
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss xxx", Locale.ROOT);

  private Quantity() {}

  /// Returns bytes in decimal multiples, as tariffs count them: `2.39 MB`.
  public static String bytes(long bytes) {
    return scaled(bytes, BYTES);
  }

  /// Returns a rate: `4.8 Mbit/s`.
  public static String rate(double kbitPerSecond) {
    return scaled(kbitPerSecond, BITS);
  }

  /// Returns a quantity with three significant digits and the prefix that fits, nano to giga: `662
  /// µden/vu`; what is less than 1 nano as `< 1 nden/vu`.
  ///
  /// @param unit without a prefix
  public static String prefixed(double value, String unit) {
    if (value == 0 || !Double.isFinite(value)) {
      return Amount.number(value) + " " + unit;
    }
    double size = new BigDecimal(Math.abs(value)).round(THREE_DIGITS).doubleValue();
    if (size < 1e-9) {
      return (value < 0 ? "> -1 n" : "< 1 n") + unit;
    }
    int prefix = 0;
    while (prefix < PREFIXES.length - 1 && size >= POWERS[prefix + 1]) {
      prefix++;
    }
    return Amount.number(value / POWERS[prefix]) + " " + PREFIXES[prefix] + unit;
  }

  /// Returns the two largest units of a duration: `3 h 20 min`.
  public static String duration(long seconds) {
    Duration time = Duration.ofSeconds(seconds);
    if (time.toDays() > 0) {
      return "%d d %d h".formatted(time.toDays(), time.toHoursPart());
    }
    if (time.toHours() > 0) {
      return "%d h %d min".formatted(time.toHours(), time.toMinutesPart());
    }
    return time.toMinutes() > 0
        ? "%d min %d s".formatted(time.toMinutes(), time.toSecondsPart())
        : seconds + " s";
  }

  /// Returns a time in a zone, with its distance to UTC.
  ///
  /// @param time as billing writes it (RFC 3339)
  public static String time(String time, ZoneId zone) {
    return TIME.format(Instant.parse(time).atZone(zone));
  }

  private static String scaled(double value, String[] units) {
    int unit = 0;
    double scaled = value;
    while (Math.abs(scaled) >= 999.5 && unit < units.length - 1) {
      scaled /= 1000;
      unit++;
    }
    return Amount.number(scaled) + " " + units[unit];
  }
}
