package io.viaduct.webgui.page;

import io.viaduct.webgui.billing.MicroDenarii;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Formats quantities for the pages, for one viewer: times are in the viewer's zone, quantities
/// have three significant digits and a unit that fits. A dash stands for a quantity that was not
/// measured. Numbers keep one form in all languages: a point for decimals and a narrow space for
/// thousands, since a comma there is a decimal one to half of the readers. `numbers.js` writes the
/// same texts in the browser.
public final class Display {
  /// Shown for a quantity that is not known.
  public static final String UNKNOWN = "\u2013";

  /// Largest loss that a price counts, as in billing.
  static final double LOSS_COUNTED_MAX = 0.05;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT);
  private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT);
  private static final long SECOND_MS = 1000;
  private static final long MINUTE_MS = 60 * SECOND_MS;
  private static final long HOUR_MS = 60 * MINUTE_MS;
  private static final long DAY_MS = 24 * HOUR_MS;
  private static final double MICRO = 1e-6;
  private static final double MEGA = 1e6;

  private final ZoneId zone;

  /// Formats for a viewer whose zone is not known.
  public Display() {
    this(ZoneOffset.UTC);
  }

  /// @param zone of the viewer
  public Display(ZoneId zone) {
    this.zone = zone;
  }

  /// The viewer's zone as people write it: `America/New York`, `UTC`.
  public String zone() {
    boolean utc = zone.getRules().equals(ZoneOffset.UTC.getRules());
    return utc ? "UTC" : zone.getId().replace('_', ' ');
  }

  /// Date and time to the second, in the viewer's zone.
  public String time(@Nullable Instant at) {
    return at == null ? UNKNOWN : TIME.format(at.atZone(zone));
  }

  /// The date in the viewer's zone.
  public String day(@Nullable Instant at) {
    return at == null ? UNKNOWN : DAY.format(at.atZone(zone));
  }

  /// Hours and minutes in the viewer's zone.
  public String clock(@Nullable Instant at) {
    return at == null ? UNKNOWN : CLOCK.format(at.atZone(zone));
  }

  /// An amount of money: `12.3 den`, `840 mden`, `53.0 µden`; from 1000 den on in whole denarii.
  public String money(@Nullable MicroDenarii amount) {
    return amount == null ? UNKNOWN : Quantity.money(amount.exactly());
  }

  /// As [#money], with a minus sign if it takes from a charge: a discount of 5 den shows as −5 den.
  public String deducted(@Nullable MicroDenarii amount) {
    return amount == null ? UNKNOWN : Quantity.money(amount.exactly().negate());
  }

  /// All six decimals: `12.317779 den`, for a title.
  public String exact(@Nullable MicroDenarii amount) {
    return amount == null ? UNKNOWN : amount.denarii() + "\u00a0den";
  }

  /// As [#exact], with a minus sign if it takes from a charge.
  public String exactlyDeducted(@Nullable MicroDenarii amount) {
    return amount == null ? UNKNOWN : amount.deducted() + "\u00a0den";
  }

  /// Cost per time: `12.3 mden/min`; a dash where no time passed.
  public String perMinute(@Nullable MicroDenarii amount, @Nullable Long milliseconds) {
    return amount == null || milliseconds == null || milliseconds <= 0
        ? UNKNOWN
        : Quantity.scaled(amount.value() * MICRO * MINUTE_MS / milliseconds, "den/min");
  }

  /// Cost per size: `120 mden/MB`; a dash where nothing was carried.
  public String perMegabyte(@Nullable MicroDenarii amount, long bytes) {
    return amount == null || bytes <= 0
        ? UNKNOWN
        : Quantity.scaled(amount.value() * MICRO * MEGA / bytes, "den/MB");
  }

  /// A quantity with three significant digits and a prefix that fits: `662 µden/vu`, `1.20 Gbit/s`.
  ///
  /// @param unit without prefix
  public String quantity(@Nullable Double value, String unit) {
    return value == null ? UNKNOWN : Quantity.scaled(value, unit);
  }

  /// A number with three significant digits, without unit and prefix, thousands separated.
  public String significant(@Nullable Double value) {
    return value == null ? UNKNOWN : Quantity.plain(value);
  }

  /// The number as it is, for a title or a data attribute: as many digits as tell it from others.
  public String full(@Nullable Double value) {
    return value == null ? UNKNOWN : Double.toString(value);
  }

  /// All digits, thousands separated.
  public String whole(@Nullable Number value) {
    return value == null ? UNKNOWN : Quantity.grouped("%,d", value.longValue());
  }

  /// One decimal, thousands separated.
  public String tenths(@Nullable Double value) {
    return value == null ? UNKNOWN : Quantity.grouped("%,.1f", value);
  }

  /// A ratio 0..1 as a percentage: `1.25 %`.
  public String percentOfRatio(@Nullable Double ratio) {
    return ratio == null ? UNKNOWN : percent(ratio * 100);
  }

  /// Loss that a price counts as a percentage. Billing counts [#LOSS_COUNTED_MAX] of it at most, so
  /// that much may stand for more: `≥ 5 %`.
  public String loss(@Nullable Double ratio) {
    return ratio != null && ratio >= LOSS_COUNTED_MAX
        ? "≥\u00a0" + percentOfRatio(ratio)
        : percentOfRatio(ratio);
  }

  /// `60.0 %`.
  public String percent(@Nullable Double percent) {
    return percent == null ? UNKNOWN : Quantity.plain(percent) + "\u00a0%";
  }

  /// A number of an explanation, in the unit that billing names.
  public String measured(@Nullable Double value, String unit) {
    if (value == null) {
      return UNKNOWN;
    }
    return switch (unit) {
      case "" -> significant(value);
      case "kbit/s" -> kilobitRate(value);
      case "ms" -> delay(value);
      case "bytes" -> bytes(Math.round(value));
      case "\u00b5den" -> money(new MicroDenarii(Math.round(value)));
      case "den/s per kbit/s" -> quantity(value, "den/kbit");
      case "den/s per ms" -> quantity(value, "den/s/ms");
      default -> quantity(value, unit);
    };
  }

  /// Decimal multiples, as tariffs count them: `2.39 MB`.
  public String bytes(long bytes) {
    return bytes > -1000 && bytes < 1000 ? bytes + "\u00a0B" : Quantity.counted(bytes, "B");
  }

  /// `4.80 Mbit/s`.
  public String bitRate(double bitPerSecond) {
    return Quantity.counted(bitPerSecond, "bit/s");
  }

  /// `4.80 Mbit/s`, from kbit/s as reports have it.
  public String kilobitRate(@Nullable Double kilobitPerSecond) {
    return kilobitPerSecond == null ? UNKNOWN : bitRate(kilobitPerSecond * 1000);
  }

  /// A delay: `140 ms`, `1.20 s`.
  public String delay(@Nullable Double milliseconds) {
    return milliseconds == null ? UNKNOWN : Quantity.scaled(milliseconds / SECOND_MS, "s");
  }

  /// A time that passes: `12.0 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
  public String duration(@Nullable Long milliseconds) {
    if (milliseconds == null) {
      return UNKNOWN;
    }
    if (milliseconds < MINUTE_MS) {
      return Quantity.plain(milliseconds / (double) SECOND_MS) + "\u00a0s";
    }
    if (milliseconds < HOUR_MS) {
      return two(milliseconds, MINUTE_MS, "min", SECOND_MS, "s");
    }
    return milliseconds < DAY_MS
        ? two(milliseconds, HOUR_MS, "h", MINUTE_MS, "min")
        : two(milliseconds, DAY_MS, "d", HOUR_MS, "h");
  }

  private static String two(long ms, long large, String largeUnit, long small, String smallUnit) {
    String first = Quantity.grouped("%,d", ms / large) + "\u00a0" + largeUnit;
    long rest = ms % large / small;
    return rest == 0 ? first : first + " " + rest + "\u00a0" + smallUnit;
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
}
