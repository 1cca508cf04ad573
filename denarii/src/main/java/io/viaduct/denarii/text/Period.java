package io.viaduct.denarii.text;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneId;

/// A span of time as people write it. Days and months are those of the user's time zone.
///
/// @param from begin, RFC 3339 in UTC; empty without one
/// @param to end, excluded; empty without one
public record Period(String from, String to) {
  /// Reads a span.
  ///
  /// @param month `2026-11`, instead of the other two; empty without one
  /// @throws IllegalArgumentException if a part is not a time, or if a month stands beside a time
  public static Period of(String from, String to, String month, ZoneId zone) {
    if (month.isEmpty()) {
      return new Period(instant("--from", from, zone), instant("--to", to, zone));
    }
    if (!from.isEmpty() || !to.isEmpty()) {
      throw new IllegalArgumentException("--month stands alone: leave out --from and --to");
    }
    try {
      YearMonth whole = YearMonth.parse(month);
      return new Period(
          whole.atDay(1).atStartOfDay(zone).toInstant().toString(),
          whole.plusMonths(1).atDay(1).atStartOfDay(zone).toInstant().toString());
    } catch (DateTimeException _) {
      throw new IllegalArgumentException(
          "--month must be a month such as 2026-11, got '%s'".formatted(month));
    }
  }

  /// Returns a time in RFC 3339.
  ///
  /// @param option its name, for a refusal
  /// @param text a day, a local time, or RFC 3339; empty stays empty
  public static String instant(String option, String text, ZoneId zone) {
    if (text.isEmpty()) {
      return "";
    }
    try {
      if (text.matches("[0-9]{4}-[0-9]{2}-[0-9]{2}")) {
        return LocalDate.parse(text).atStartOfDay(zone).toInstant().toString();
      }
      return text.matches(".*(Z|[+-][0-9]{2}:[0-9]{2})")
          ? Instant.parse(text).toString()
          : LocalDateTime.parse(text).atZone(zone).toInstant().toString();
    } catch (DateTimeException _) {
      throw new IllegalArgumentException(
          "%s must be a time such as 2026-11-23, 2026-11-23T20:00 or 2026-11-23T20:00:00Z, got '%s'"
              .formatted(option, text));
    }
  }
}
