package io.viaduct.billing.credit;

import io.viaduct.billing.rating.HighestPrice;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The highest prices of applications under every tariff that may price the traffic of a quota: its
/// interval may have begun under an earlier version.
///
/// @param versions versions in force meanwhile
public record HighestPrices(List<TariffVersion> versions) {
  /// Longest time from the start of an interval to the end of a quota that is used in it.
  private static final Duration AHEAD = Duration.ofMinutes(1);

  /// @param all every version
  /// @param oldest age of the oldest traffic that is not charged yet
  public static HighestPrices of(List<TariffVersion> all, Instant now, Duration oldest) {
    return new HighestPrices(TariffBook.inForce(all, now.minus(oldest), now.plus(AHEAD)));
  }

  HighestPrice of(Application application) {
    return versions.stream()
        .map(version ->
            HighestPrice.of(version.tariff(), application.serviceClass(), application.name()))
        .reduce(HighestPrice.FREE, HighestPrice::or);
  }
}
