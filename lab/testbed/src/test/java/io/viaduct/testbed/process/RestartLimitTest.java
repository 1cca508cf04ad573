package io.viaduct.testbed.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RestartLimitTest {
  private static final long SECOND = 1_000_000_000;

  @Test
  void theWindowSlides() {
    var limit = new RestartLimit(2, Duration.ofSeconds(60));
    assertThat(limit.spend(0)).isTrue();
    assertThat(limit.spend(50 * SECOND)).isTrue();
    assertThat(limit.spend(59 * SECOND)).isFalse();
    assertThat(limit.spend(60 * SECOND)).isTrue();
    assertThat(limit.spend(61 * SECOND)).isFalse();
    assertThat(limit.spend(110 * SECOND)).isTrue();
  }

  @Test
  void itWorksAcrossTheWrapOfTheClock() {
    var limit = new RestartLimit(1, Duration.ofSeconds(60));
    assertThat(limit.spend(Long.MAX_VALUE)).isTrue();
    assertThat(limit.spend(Long.MAX_VALUE + 59 * SECOND)).isFalse();
    assertThat(limit.spend(Long.MAX_VALUE + 60 * SECOND)).isTrue();
  }
}
