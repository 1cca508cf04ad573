package io.viaduct.webgui.billing;

import java.time.Instant;
import java.time.ZoneId;

/// A query for sums of charges.
///
/// @param filter time, class, application, device and link; other criteria are not for sums
/// @param by words out of day, hour, class, application, device, with commas between them
/// @param zone whose days and hours are meant
public record UsageQuery(ChargeFilter filter, String by, ZoneId zone) {
  /// Sums of all charges in a time.
  public static UsageQuery between(Instant from, Instant to, String by, ZoneId zone) {
    return new UsageQuery(ChargeFilter.between(from.toString(), to.toString()), by, zone);
  }

  /// Returns the name of a zone as billing knows it.
  static String zoneName(ZoneId zone) {
    String id = zone.getId();
    return id.equals("Z") ? "UTC" : id;
  }
}
