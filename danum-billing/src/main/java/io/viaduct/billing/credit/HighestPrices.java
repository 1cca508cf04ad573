package io.viaduct.billing.credit;

import io.viaduct.billing.rating.HighestPrice;
import io.viaduct.billing.tariff.Surcharge;
import io.viaduct.billing.tariff.SurchargeBook;
import io.viaduct.billing.tariff.TariffBook;
import io.viaduct.billing.tariff.TariffVersion;
import io.viaduct.billing.tariff.Terms;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// The highest prices of applications under all terms that may price the traffic of a quota: its
/// interval may have begun under an earlier version. For the surcharge, it takes the highest one of
/// any owner.
///
/// @param versions versions of the tariff in force meanwhile
public record HighestPrices(List<TariffVersion> versions, Surcharge surcharge) {
  /// Longest time from the start of an interval to the end of a quota that is used in it.
  private static final Duration AHEAD = Duration.ofMinutes(1);

  /// @param oldest age of the oldest traffic that is not charged yet
  public static HighestPrices of(
      TariffBook tariffs, SurchargeBook surcharges, Instant now, Duration oldest) {
    return new HighestPrices(
        TariffBook.inForce(tariffs.versions(), now.minus(oldest), now.plus(AHEAD)),
        surcharges.highest());
  }

  HighestPrice of(Application application) {
    return versions.stream()
        .map(version ->
            HighestPrice.of(
                new Terms(version.tariff(), surcharge),
                application.serviceClass(),
                application.name()))
        .reduce(HighestPrice.FREE, HighestPrice::or);
  }
}
