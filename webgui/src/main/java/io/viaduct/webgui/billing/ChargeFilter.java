package io.viaduct.webgui.billing;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.BindParam;

/// Holds the query parameters that charges are filtered by, as a visitor typed them; null or blank
/// is no filter.
///
/// @param from in the visitor's zone, as a browser's date and time field writes it:
///   `2026-11-20T10:00`
/// @param to likewise; the charges are those that began before it
/// @param serviceClass `HT_HD` and the like
/// @param state as billing writes it, e.g. `final`
/// @param passedBy one of [ChargePayment#RULES]
public record ChargeFilter(
    @Nullable String from,
    @Nullable String to,
    @BindParam("class") @Nullable String serviceClass,
    @Nullable String state,
    @Nullable String application,
    @Nullable String snapt,
    @Nullable String device,
    @Nullable String link,
    @Nullable String passedBy) {
  static final ChargeFilter NONE = between(null, null);

  /// Charges of a time.
  ///
  /// @param from as [#utc] returns it; likewise `to`
  public static ChargeFilter between(@Nullable String from, @Nullable String to) {
    return new ChargeFilter(from, to, null, null, null, null, null, null, null);
  }

  /// The same with another beginning.
  public ChargeFilter from(String begin) {
    return new ChargeFilter(
        begin, to, serviceClass, state, application, snapt, device, link, passedBy);
  }

  /// Returns the filter with its times as billing reads them.
  ///
  /// @param zone in which the visitor typed them
  public ChargeFilter in(ZoneId zone) {
    return new ChargeFilter(
        utc(from, zone),
        utc(to, zone),
        serviceClass,
        state,
        application,
        snapt,
        device,
        link,
        passedBy);
  }

  /// Returns a time field's text as billing reads it: RFC 3339 in UTC. Anything else stays as it is
  /// for billing to refuse in words.
  ///
  /// @param zone in which the visitor typed it
  public static @Nullable String utc(@Nullable String field, ZoneId zone) {
    if (field == null) {
      return null;
    }
    String time = field.strip();
    try {
      return time.contains("T")
          ? LocalDateTime.parse(time).atZone(zone).toInstant().toString()
          : LocalDate.parse(time).atStartOfDay(zone).toInstant().toString();
    } catch (DateTimeParseException e) {
      return time;
    }
  }
}
