package io.viaduct.tunnel.fragment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyLimitTest {
  private static final long SECOND = 1_000_000_000;
  private final BodyLimit limit = new BodyLimit();

  @Test
  void eachReportOfLossHalvesTheLimitDownToNone() {
    int lost = 0;
    int before = limit.bytes(0);
    assertThat(before).isEqualTo(BodyLimit.BYTES_MAX);
    while (before > 0) {
      limit.incomplete(++lost, 0);
      int now = limit.bytes(0);
      assertThat(now).isEqualTo(before / 2 < BodyLimit.BYTES_MIN ? 0 : before / 2);
      before = now;
    }
    assertThat(lost).isEqualTo(4);
  }

  @Test
  void aReportWithoutNewLossesChangesNothing() {
    limit.incomplete(3, 0);
    int once = limit.bytes(0);
    limit.incomplete(3, 0);
    limit.incomplete(2, 0);
    assertThat(limit.bytes(0)).isEqualTo(once);
  }

  @Test
  void aSecondWithoutLossDoublesTheLimitAgain() {
    for (int i = 1; i <= 4; i++) {
      limit.incomplete(i, 0);
    }
    assertThat(limit.bytes(SECOND - 1)).isZero();
    assertThat(limit.bytes(SECOND)).isEqualTo(BodyLimit.BYTES_MIN);
    assertThat(limit.bytes(2 * SECOND)).isEqualTo(2 * BodyLimit.BYTES_MIN);
  }

  @Test
  void aLossAfterDoublingMakesTheNextPauseLonger() {
    for (int i = 1; i <= 4; i++) {
      limit.incomplete(i, 0);
    }
    assertThat(limit.bytes(SECOND)).isPositive();
    limit.incomplete(5, SECOND);
    assertThat(limit.bytes(SECOND)).isZero();
    assertThat(limit.bytes(2 * SECOND)).isZero();
    assertThat(limit.bytes(3 * SECOND)).isPositive();
  }
}
