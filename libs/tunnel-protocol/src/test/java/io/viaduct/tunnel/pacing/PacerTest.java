package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.PathMessage;
import org.junit.jupiter.api.Test;

class PacerTest {
  private static final long MS = 1_000_000;

  @Test
  void aMeasuredRateThatNoReceiptConfirmsForTenSecondsPacesButIsNotKnownAnyMore() {
    Pacer pacer = new Pacer(Pacing.AUTO, 1_000 * MS);
    long nowNs = 1_000 * MS;
    long arrived = 0;
    for (int i = 0; i < 20; i++) { // a queue that grows by 20 ms in each 50 ms
      nowNs += 50 * MS;
      pacer.sent(25_000, nowNs);
      arrived += 15_000;
      pacer.receipt(
          new PathMessage.Receipt(
              (int) (nowNs / 1000), (int) arrived, i * 20_000, 1_500, PathMessage.NO_COUNT),
          20_000,
          nowNs);
    }
    assertThat(pacer.isLimiting()).isTrue();
    double rate = pacer.bytesPerSecond();
    assertThat(pacer.confirmedPerSecond(nowNs + 9_999 * MS)).isEqualTo(rate);
    assertThat(pacer.confirmedPerSecond(nowNs + 10_000 * MS)).isInfinite();
    assertThat(pacer.bytesPerSecond()).isEqualTo(rate);
  }

  @Test
  void aConfiguredRateNeedsNoReceipt() {
    Pacer pacer = new Pacer(Pacing.of("8000000"), 0);
    pacer.carries(5e6, 0);
    assertThat(pacer.confirmedPerSecond(3_600_000 * MS)).isEqualTo(1e6);
  }
}
