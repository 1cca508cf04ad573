package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.PathMessage;
import org.junit.jupiter.api.Test;

class PacerTest {
  private static final long MS = 1_000_000;

  @Test
  void aMeasuredRateThatNoReceiptConfirmsForTenSecondsPacesButIsNotKnownAnyMore() {
    Pacer pacer = new Pacer(Pacing.AUTO, 1_000 * MS);
    long nowNs = overrun(pacer, 1_000 * MS);
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

  // A queue grows by 20 ms in each 50 ms. Returns the time after a second of it.
  private static long overrun(Pacer pacer, long sinceNs) {
    long nowNs = sinceNs;
    long arrived = 0;
    for (int i = 0; i < 20; i++) {
      nowNs += 50 * MS;
      pacer.sent(25_000, nowNs);
      arrived += 15_000;
      pacer.receipt(
          new PathMessage.Receipt(
              (int) (nowNs / 1000), (int) arrived, i * 20_000, 1_500, PathMessage.NO_COUNT),
          20_000,
          nowNs);
    }
    return nowNs;
  }

  @Test
  void anotherSessionByTheSameLinkBeginsWithItsRateAndGoesOnToMeasure() {
    Pacer before = new Pacer(Pacing.AUTO, 0);
    long nowNs = overrun(before, 1_000 * MS);
    KnownRate known = before.known(nowNs);
    assertThat(known).isNotNull();
    Pacer next = new Pacer(Pacing.AUTO, nowNs);
    next.begin(known, nowNs);
    assertThat(next.isLimiting()).isTrue();
    assertThat(next.bytesPerSecond()).isEqualTo(known.limit());
    assertThat(next.capacityPerSecond(nowNs)).isEqualTo(before.capacityPerSecond(nowNs));
    long arrived = 0;
    for (int i = 0; i < 300; i++) { // no queue, although pacing holds datagrams back
      nowNs += 50 * MS;
      next.holdUntilNs();
      int sent = (int) (next.bytesPerSecond() / 20);
      next.sent(sent, nowNs);
      arrived += sent;
      next.receipt(
          new PathMessage.Receipt(
              (int) (nowNs / 1000), (int) arrived, 10_000, 1_500, PathMessage.NO_COUNT),
          20_000,
          nowNs);
    }
    assertThat(next.bytesPerSecond())
        .as("it was the other SNAPT's")
        .isGreaterThan(2 * known.limit());
  }

  @Test
  void whatIsConfiguredMeasuredOrForgottenIsNotHandedOn() {
    Pacer before = new Pacer(Pacing.AUTO, 0);
    long nowNs = overrun(before, 1_000 * MS);
    KnownRate known = before.known(nowNs);
    assertThat(known).isNotNull();
    assertThat(before.known(nowNs + 10_000 * MS)).isNull();
    assertThat(new Pacer(Pacing.of("8000000"), 0).known(nowNs)).isNull();
    Pacer configured = new Pacer(Pacing.of("8000000"), nowNs);
    configured.begin(known, nowNs);
    assertThat(configured.bytesPerSecond()).isEqualTo(1e6);
    Pacer measured = new Pacer(Pacing.AUTO, 0);
    overrun(measured, 1_000 * MS);
    double own = measured.bytesPerSecond();
    measured.begin(new KnownRate(1e9, 1e9), nowNs);
    assertThat(measured.bytesPerSecond()).isEqualTo(own);
  }
}
