package io.viaduct.webgui.billing;

import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.BindParam;

/// Holds the query parameters that charges are filtered by, as a visitor typed them; null or blank
/// is no filter.
///
/// @param from UTC, as a browser's date and time field writes it: `2026-11-20T10:00`
/// @param to likewise; the charges are those that began before it
/// @param serviceClass `HT_HD` and the like
/// @param state as billing writes it, e.g. `final`
public record ChargeFilter(
    @Nullable String from,
    @Nullable String to,
    @BindParam("class") @Nullable String serviceClass,
    @Nullable String state,
    @Nullable String application,
    @Nullable String snapt) {
  static final ChargeFilter NONE = new ChargeFilter(null, null, null, null, null, null);

  /// Returns a time field's text as billing reads it: RFC 3339 in UTC. Anything else stays as it is
  /// for billing to refuse in words.
  public static @Nullable String utc(@Nullable String field) {
    if (field == null) {
      return null;
    }
    String time = field.strip();
    if (time.matches("\\d{4}-\\d{2}-\\d{2}")) {
      return time + "T00:00:00Z";
    }
    if (time.matches("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}")) {
      return time + ":00Z";
    }
    return time.matches("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?")
        ? time + "Z"
        : time;
  }
}
