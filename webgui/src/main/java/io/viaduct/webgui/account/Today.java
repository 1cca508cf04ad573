package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Usage;
import io.viaduct.webgui.billing.UsageQuery;
import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Spending and savings since midnight in the viewer's zone, hour by hour.
///
/// @param hours all hours of the day, those to come too: the chart keeps its width
record Today(List<Hour> hours, MicroDenarii spent, MicroDenarii saved) {
  /// A day of a zone: 23 to 25 hours.
  ///
  /// @param to its end, which belongs to the next day
  record Day(Instant from, Instant to) {
    /// Returns the day of a time. It begins and ends at the first time of a date, which is not
    /// midnight where the clocks go forward then.
    static Day of(Instant now, ZoneId zone) {
      LocalDate date = now.atZone(zone).toLocalDate();
      return new Day(
          date.atStartOfDay(zone).toInstant(), date.plusDays(1).atStartOfDay(zone).toInstant());
    }
  }

  /// @param start beginning of the hour
  record Hour(Instant start, MicroDenarii spent, MicroDenarii saved) {}

  static Today read(Billing billing, BearerToken token, String account, Instant now, ZoneId zone) {
    Day day = Day.of(now, zone);
    Usage usage =
        billing.usage(token, account, UsageQuery.between(day.from(), day.to(), "hour", zone));
    return of(usage, day);
  }

  static Today of(Usage usage, Day day) {
    Map<Instant, Usage.Sums> known =
        usage.usage().stream()
            .filter(sums -> sums.hour() != null)
            .collect(Collectors.toMap(Usage.Sums::hour, Function.identity(), (a, _) -> a));
    // Where the clocks change by half an hour, billing's hours begin at other times after it.
    SortedSet<Instant> starts = new TreeSet<>(known.keySet());
    for (Instant at = day.from(); at.isBefore(day.to()); at = at.plus(1, ChronoUnit.HOURS)) {
      starts.add(at);
    }
    List<Hour> hours = new ArrayList<>();
    for (Instant hour : starts) {
      Usage.Sums sums = known.get(hour);
      hours.add(
          sums == null
              ? new Hour(hour, MicroDenarii.ZERO, MicroDenarii.ZERO)
              : new Hour(hour, sums.netMicrodenarii(), sums.discountMicrodenarii()));
    }
    return new Today(
        List.copyOf(hours), usage.total().netMicrodenarii(), usage.total().discountMicrodenarii());
  }
}
