package io.viaduct.cnapt.snapts;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.ServiceClass;
import java.util.List;
import org.junit.jupiter.api.Test;

class SnaptTermsTest {
  @Test
  void pricesAreOfTheirClassesAndAMissingOrNegativeOneIsNone() {
    SnaptPrices prices = SnaptPrices.of(List.of(1_500_000L, -3L));
    assertThat(prices.of(ServiceClass.LT_LD)).isEqualTo(1.5);
    assertThat(prices.of(ServiceClass.HT_LD)).isZero();
    assertThat(prices.of(ServiceClass.HT_HD)).isZero();
    assertThat(prices.shown()).containsOnlyKeys("LT_LD");
    assertThat(SnaptPrices.of(List.of(0L, 0L, 0L, 2L, 99L)).shown()).containsOnlyKeys("HT_HD");
  }

  @Test
  void aRegionThatWouldBreakALineIsLeftOut() {
    assertThat(SnaptTerms.of("north", List.of()).region()).isEqualTo("north");
    assertThat(SnaptTerms.of("no\nrth", List.of()).region()).isEmpty();
    assertThat(SnaptTerms.of("x".repeat(65), List.of()).region()).isEmpty();
    assertThat(SnaptTerms.of("", List.of())).isEqualTo(SnaptTerms.UNKNOWN);
  }
}
