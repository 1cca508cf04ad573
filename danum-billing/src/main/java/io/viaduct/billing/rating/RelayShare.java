package io.viaduct.billing.rating;

import io.viaduct.billing.ledger.MicroDenarii;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;

/// Rewards of the relays of an interval (ADR 0068). Together they have the tariff's share of the
/// charge, as far as the wire bytes went by relays. Each has its part by bytes, with the largest
/// remainder.
public final class RelayShare {
  private RelayShare() {}

  /// Returns one reward for each relay.
  ///
  /// @param share the tariff's share, 0..1
  /// @param wireBytes all wire bytes of the interval; relays that claim more have all of them
  /// @param relayed wire bytes of each relay
  public static List<MicroDenarii> of(
      MicroDenarii charge, double share, long wireBytes, long[] relayed) {
    long sum = Arrays.stream(relayed).reduce(0, Math::addExact);
    if (sum == 0) {
      return Apportionment.of(MicroDenarii.ZERO, relayed);
    }
    BigDecimal whole =
        BigDecimal.valueOf(share)
            .multiply(BigDecimal.valueOf(charge.value()))
            .multiply(BigDecimal.valueOf(sum))
            .divide(BigDecimal.valueOf(Math.max(wireBytes, sum)), 0, RoundingMode.HALF_EVEN);
    return Apportionment.of(new MicroDenarii(whole.longValueExact()), relayed);
  }
}
