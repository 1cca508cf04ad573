package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpareRateTest {
  private static final long SECOND = 1_000_000_000;

  private final SpareRate spare = new SpareRate();

  @Test
  void capacityThatWasNotUsedIsSpare() {
    spare.start(1_000, 5 * SECOND);
    assertThat(spare.bytes(1_000_000, 251_000, 7 * SECOND)).isEqualTo(1_750_000);
  }

  @Test
  void aLoadOfManyGigabytesLeavesNothingOfAPathThatItFills() {
    spare.start(0, 0);
    assertThat(spare.bytes(1e9, 60_000_000_000L, 60 * SECOND)).isZero();
  }
}
