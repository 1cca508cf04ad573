package io.viaduct.billing.rest;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/// A half-open time range: `from` is included, `to` is excluded. The database stores microseconds,
/// so a finer bound is rounded up to the next microsecond.
///
/// @param from null for no lower bound
/// @param to null for no upper bound
record TimeRange(@Nullable Instant from, @Nullable Instant to) {
  private static final Instant LEAST = Instant.parse("1970-01-01T00:00:00Z");
  private static final Instant MOST = Instant.parse("9999-12-31T23:59:59Z");

  /// Reads two query parameters; an empty one means no bound.
  static TimeRange of(String from, String to) {
    TimeRange range = new TimeRange(bound("from", from), bound("to", to));
    if (range.from != null && range.to != null && !range.from.isBefore(range.to)) {
      throw ProblemException.invalid("from must be before to, got '" + from + "' and '" + to + "'");
    }
    return range;
  }

  /// Reads the name of a time zone (IANA), such as `Europe/Warsaw`, or `UTC`.
  static ZoneId zone(String name) {
    // Names without a slash mean other zones to PostgreSQL, or nothing.
    if (name.equals("UTC") || name.contains("/") && ZoneId.getAvailableZoneIds().contains(name)) {
      return ZoneId.of(name);
    }
    throw ProblemException.invalid(
        "zone must be UTC or a time zone such as Europe/Rome, got '" + shown(name) + "'");
  }

  private static @Nullable Instant bound(String name, String text) {
    if (text.isEmpty()) {
      return null;
    }
    try {
      Instant exact = OffsetDateTime.parse(text).toInstant();
      if (exact.isBefore(LEAST) || exact.isAfter(MOST)) {
        throw ProblemException.invalid(
            name + " must be from the years 1970 to 9999, got '" + shown(text) + "'");
      }
      Instant micros = exact.truncatedTo(ChronoUnit.MICROS);
      return micros.equals(exact) ? micros : micros.plus(1, ChronoUnit.MICROS);
    } catch (DateTimeParseException _) {
      throw ProblemException.invalid(
          "%s must be a time such as 2026-01-31T00:00:00Z (RFC 3339; write + as %%2B), got '%s'"
              .formatted(name, shown(text)));
    }
  }

  private static String shown(String text) {
    return text.length() > 64 ? text.substring(0, 64) + "…" : text;
  }
}
