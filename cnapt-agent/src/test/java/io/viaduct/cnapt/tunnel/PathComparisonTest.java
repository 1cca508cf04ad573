package io.viaduct.cnapt.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PathComparisonTest {
  private static final long MS = 1_000_000;

  private final PathComparison comparison = new PathComparison(0);

  @Test
  void pathsThatCarryTrafficAreMeasuredOnceASecond() {
    int times = 0;
    for (long ms = 1; ms <= 10_000; ms++) {
      comparison.carried(100);
      times += comparison.takeDue(2, ms * MS) ? 1 : 0;
    }
    assertThat(times).isBetween(9, 11);
  }

  @Test
  void slowTrafficIsMeasuredMoreRarelySoThatProbesStayAtTwoPercent() {
    long bytes = 0;
    int times = 0;
    for (long ms = 1; ms <= 100_000; ms += 20) {
      comparison.carried(60);
      bytes += 60;
      times += comparison.takeDue(2, ms * MS) ? 1 : 0;
    }
    assertThat(2 * times * (77 + 81)).isPositive().isLessThanOrEqualTo((int) (bytes / 50));
  }

  @Test
  void idlePathsAndASinglePathAreNotMeasuredByThis() {
    assertThat(comparison.dueNs(2)).isEqualTo(Long.MAX_VALUE);
    comparison.carried(1_000_000);
    assertThat(comparison.dueNs(1)).isEqualTo(Long.MAX_VALUE);
    assertThat(comparison.dueNs(2)).isLessThan(Long.MAX_VALUE);
  }

  @Test
  void aRoundTripThatChangesClearlyIsToldAtOnce() {
    assertThat(PathComparison.isNews(20 * MS, 60 * MS, 0, 1_000 * MS)).isTrue();
    assertThat(PathComparison.isNews(60 * MS, 20 * MS, 0, 1_000 * MS)).isTrue();
    assertThat(PathComparison.isNews(20 * MS, 24 * MS, 0, 1_000 * MS)).as("4 ms").isFalse();
    assertThat(PathComparison.isNews(200 * MS, 220 * MS, 0, 1_000 * MS)).as("a tenth").isFalse();
    assertThat(PathComparison.isNews(20 * MS, 60 * MS, 950 * MS, 1_000 * MS)).as("soon").isFalse();
  }

  @Test
  void aPathThatGetsWorseIsComparedEveryTenSecondsAtMost() {
    assertThat(comparison.takeWorse(MS)).isTrue();
    assertThat(comparison.takeWorse(10_000 * MS)).isFalse();
    assertThat(comparison.takeWorse(10_001 * MS)).isTrue();
  }
}
