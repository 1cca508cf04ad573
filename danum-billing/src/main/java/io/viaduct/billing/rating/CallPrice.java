package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import io.viaduct.billing.tariff.AccessFee;
import io.viaduct.billing.tariff.Tariff;
import java.util.Optional;

/// The price of a call whose seconds another node counts. It is a whole number of micro-denarii per
/// second, so the parts of a call cost together what the whole call costs.
///
/// @param perSecond price of a second
public record CallPrice(MicroDenarii perSecond) implements UseBound {
  /// Returns the price of calls under a tariff; empty if it has none.
  public static Optional<CallPrice> of(Tariff tariff) {
    return Optional.ofNullable(tariff.fees().get(AccessFee.PER_CALL_SECOND))
        .map(fee -> new CallPrice(Rounding.ofDenarii(fee)));
  }

  /// Returns the price of some seconds.
  public MicroDenarii of(long seconds) {
    return new MicroDenarii(Math.multiplyExact(perSecond.value(), seconds));
  }

  @Override
  public MicroDenarii charge(Use use) {
    return of(use.bytes());
  }
}
