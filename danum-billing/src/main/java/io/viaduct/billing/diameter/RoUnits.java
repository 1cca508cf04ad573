package io.viaduct.billing.diameter;

import io.viaduct.billing.configuration.DiameterSettings;
import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.diameter.credit.Money;
import io.viaduct.diameter.credit.ServiceUnits;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Counts credit in a unit of the operator's charging system: CC-Service-Specific-Units that are
/// micro-denarii, or CC-Money in a currency of which one unit is one denarius. Requests have the
/// unit of the configuration; grants may have either. Thread-safe.
final class RoUnits {
  private static final Logger LOG = LoggerFactory.getLogger(RoUnits.class);
  private static final int MICRO = 6;

  /// A greater grant counts as this: sums of amounts must fit 64 bits.
  private static final long GRANT_MAX = 1_000_000_000_000_000L;

  private final DiameterSettings.Ro.Unit unit;
  private final long currency;
  private final AtomicBoolean hasWarned = new AtomicBoolean();

  /// @param currency Currency-Code of CC-Money
  RoUnits(DiameterSettings.Ro.Unit unit, long currency) {
    this.unit = unit;
    this.currency = currency;
  }

  /// Returns an amount as units of a request.
  ServiceUnits of(MicroDenarii amount) {
    return switch (unit) {
      case SPECIFIC -> ServiceUnits.ofSpecific(amount.value());
      case MONEY ->
          ServiceUnits.ofMoney(
              new Money(BigDecimal.valueOf(amount.value(), MICRO), OptionalLong.of(currency)));
    };
  }

  /// Returns the amount of a grant. The first grant that cannot be read is logged.
  ///
  /// @return empty if it is counted in another unit or currency
  Optional<MicroDenarii> read(ServiceUnits granted) {
    Optional<MicroDenarii> amount = amount(granted);
    if (amount.isEmpty() && hasWarned.compareAndSet(false, true)) {
      LOG.warn(
          "the charging system grants {}: users get no credit. Set up the rating group of"
              + " diameter.ro for CC-Service-Specific-Units that are micro-denarii, or for CC-Money"
              + " with Currency-Code {}",
          granted,
          currency);
    }
    return amount;
  }

  private Optional<MicroDenarii> amount(ServiceUnits granted) {
    if (granted.specific().isPresent()) {
      return Optional.of(bounded(BigDecimal.valueOf(granted.specific().getAsLong())));
    }
    return granted
        .money()
        .filter(money -> money.currency().orElse(currency) == currency)
        .map(money -> bounded(money.amount().movePointRight(MICRO)));
  }

  private static MicroDenarii bounded(BigDecimal micro) {
    return new MicroDenarii(
        micro
            .setScale(0, RoundingMode.FLOOR)
            .max(BigDecimal.ZERO)
            .min(BigDecimal.valueOf(GRANT_MAX))
            .longValueExact());
  }
}
