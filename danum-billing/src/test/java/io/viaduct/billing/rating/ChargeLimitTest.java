package io.viaduct.billing.rating;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.billing.ledger.MicroDenarii;
import org.junit.jupiter.api.Test;

class ChargeLimitTest {
  private static ChargeLimit limit(long bytes, double priced, double received, long charge) {
    return ChargeLimit.of(bytes, priced, received, new MicroDenarii(charge), false);
  }

  @Test
  void chargeIsLimitedByTheLowestOfPriceUtilityAndCap() {
    assertThat(limit(1000, 0.25, 0.5, 250_000)).isEqualTo(ChargeLimit.PRICE);
    assertThat(limit(1000, 0.5, 0.25, 250_000)).isEqualTo(ChargeLimit.UTILITY);
    assertThat(limit(1000, 0.5, 0.4, 250_000)).isEqualTo(ChargeLimit.CAP);
    assertThat(limit(0, 0.0, 0.0, 0)).isEqualTo(ChargeLimit.NOTHING);
    assertThat(ChargeLimit.of(1000, 0.5, 0.4, MicroDenarii.ZERO, true)).isEqualTo(ChargeLimit.CALL);
  }

  @Test
  void equalBoundsLimitNothingAndAHugeProductIsNoError() {
    assertThat(limit(1000, 0.25, 0.25, 250_000)).isEqualTo(ChargeLimit.PRICE);
    assertThat(limit(1000, 1e300, 0.25, 250_000)).isEqualTo(ChargeLimit.UTILITY);
  }
}
