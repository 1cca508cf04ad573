package io.viaduct.webgui.account;

import io.viaduct.webgui.billing.Billing;
import io.viaduct.webgui.billing.MicroDenarii;
import io.viaduct.webgui.billing.Usage;
import io.viaduct.webgui.billing.UsageQuery;
import io.viaduct.webgui.peer.BearerToken;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Spending and savings since midnight in the viewer's zone, hour by hour.
///
/// @param hours all hours of the day, those to come too: the chart keeps its width
record Today(List<Hour> hours, MicroDenarii spent, MicroDenarii saved) {
  /// @param start beginning of the hour
  record Hour(Instant start, MicroDenarii spent, MicroDenarii saved) {}

  static Today read(Billing billing, BearerToken token, String account, Instant now, ZoneId zone) {
    ZonedDateTime midnight = now.atZone(zone).toLocalDate().atStartOfDay(zone);
    Instant from = midnight.toInstant();
    Instant to = midnight.plusDays(1).toInstant();
    Usage usage = billing.usage(token, account, UsageQuery.between(from, to, "hour", zone));
    return of(usage, from, to);
  }

  static Today of(Usage usage, Instant from, Instant to) {
    Map<Instant, Usage.Sums> known =
        usage.usage().stream()
            .filter(sums -> sums.hour() != null)
            .collect(Collectors.toMap(Usage.Sums::hour, Function.identity(), (a, _) -> a));
    List<Hour> hours = new ArrayList<>();
    for (Instant hour = from; hour.isBefore(to); hour = hour.plus(1, ChronoUnit.HOURS)) {
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
