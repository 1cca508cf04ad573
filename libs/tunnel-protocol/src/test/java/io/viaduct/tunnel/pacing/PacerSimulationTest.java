package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PacerSimulationTest {
  private static final long MS = 1_000_000;
  private static final int SEEDS = 20;

  @Test
  void theQueueLeavesTheLinkAndTheLinkStaysBusy() {
    var sender = new PacedSender(10e6, 10 * MS, 100 * MS, 20e6);
    sender.run(1);
    double carried = sender.run(20);
    assertThat(carried).isGreaterThan(0.98 * 10e6);
    assertThat(sender.queueMs(50)).isLessThan(12);
    assertThat(sender.queueMs(99)).isLessThan(25);
  }

  @Test
  void aDropOfTheRateIsFoundWithinASecondAndARiseSoon() {
    var sender = new PacedSender(10e6, 10 * MS, 100 * MS, 200e6);
    sender.run(3);
    sender.link.rate(5e6);
    sender.run(1);
    sender.run(2);
    assertThat(sender.queueMs(99)).as("10 to 5 Mbit/s").isLessThan(22);
    sender.link.rate(100e6);
    sender.run(1.5);
    assertThat(sender.run(2)).as("5 to 100 Mbit/s").isGreaterThan(0.95 * 100e6);
    sender.link.rate(2e6);
    sender.run(1);
    assertThat(sender.run(3)).as("100 to 2 Mbit/s").isGreaterThan(0.95 * 2e6);
    assertThat(sender.queueMs(95)).isLessThan(40);
  }

  @Test
  void withoutAQueueThereIsNoLimit() {
    var sender = new PacedSender(10e9, MS, 100 * MS, 300e6);
    for (int second = 0; second < 5; second++) {
      sender.run(1);
      assertThat(sender.pacer.isLimiting()).isFalse();
    }
  }

  @Test
  void aLongerPathBecomesTheNewBaseDelay() {
    var sender = new PacedSender(10e6, 10 * MS, 100 * MS, 20e6);
    sender.run(5);
    sender.link.delay(70 * MS);
    sender.back.delay(70 * MS);
    sender.run(3);
    assertThat(sender.run(10)).isGreaterThan(0.95 * 10e6);
  }

  @ParameterizedTest
  @CsvSource({"10, 0.98, 0.95", "50, 0.87, 0.40", "100, 0.87, 0.30", "200, 0.80, 0.15"})
  void jitterIsNoQueue(int jitterMs, double meanLeast, double worstLeast) {
    double sum = 0;
    double worst = 1;
    for (int seed = 0; seed < SEEDS; seed++) {
      var sender = new PacedSender(10e6, 10 * MS, 100 * MS, 20e6);
      sender.link.jitter(jitterMs * MS, seed);
      sender.run(4);
      double share = sender.run(20) / 10e6;
      sum += share;
      worst = Math.min(worst, share);
    }
    assertThat(sum / SEEDS).as("mean of the seeds").isGreaterThan(meanLeast);
    assertThat(worst).as("worst seed").isGreaterThan(worstLeast);
  }

  @Test
  void aSmallFlowIsNotHeldBackByASlowerPath() {
    var sender = new PacedSender(50e6, 10 * MS, 100 * MS, 1e6);
    sender.run(5);
    sender.link.delay(70 * MS);
    sender.run(3);
    assertThat(sender.run(5)).isGreaterThan(0.98 * 1e6);
    sender.demandBytesPerSecond = 100e6 / 8;
    sender.run(2);
    assertThat(sender.run(5)).isGreaterThan(0.95 * 50e6);
  }

  @ParameterizedTest
  @CsvSource({"0", "0.1", "0.2"})
  void aPathThatBecomesMuchSlowerAtOnceHoldsASmallFlowBackByNothing(double loss) {
    for (int seed = 0; seed < SEEDS; seed++) {
      var sender = new PacedSender(50e6, 10 * MS, 100 * MS, 1.2e6);
      sender.run(5);
      sender.link.delay(120 * MS);
      sender.back.delay(120 * MS);
      sender.link.loss(loss, seed);
      sender.run(5);
      assertThat(sender.waitedMs()).as("seed %d, longest wait, ms", seed).isLessThan(30);
    }
  }

  @Test
  void aFixedRateIsKept() {
    var pacer = new Pacer(Pacing.of("8000000"), 0);
    long sent = 0;
    for (long nowNs = 0; nowNs < 1_000 * MS; nowNs += MS / 10) {
      while (pacer.allowance(nowNs) > 0) {
        pacer.sent(1_000, nowNs);
        sent += 1_000;
      }
    }
    assertThat(sent).isBetween(990_000L, 1_010_000L);
  }

  @Test
  void receiptsCostLessThanOnePercent() {
    var sender = new PacedSender(100e6, 10 * MS, 100 * MS, 2e6);
    double carried = sender.run(10) * 10 / 8;
    assertThat(sender.receiptsSent * (13 + 24 + 28)).isLessThan((int) (carried / 100));
  }

  @Test
  void silenceSendsNoReceipts() {
    var sender = new PacedSender(100e6, 10 * MS, 100 * MS, 0);
    sender.run(10);
    assertThat(sender.receiptsSent).isZero();
  }
}
