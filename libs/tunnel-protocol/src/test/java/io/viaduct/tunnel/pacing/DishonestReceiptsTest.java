package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.PathMessage;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Test;

/// Tests that receipts cannot make a path faster than this end has sent.
class DishonestReceiptsTest {
  private static final long MS = 1_000_000;
  private static final int CALL_BYTES = 260;
  private static final double CALL_PER_SECOND = CALL_BYTES * 50;

  private long receipts;

  /// What the device claims to have received, from what it has received.
  private final Map<String, ToLongFunction<Long>> lies =
      Map.of(
          "200 MB more with each receipt", true_ -> receipts * 200_000_000,
          "all at once now and then", true_ -> receipts % 50 == 0 ? true_ : true_ / 2,
          "twice as much", true_ -> 2 * true_);

  private double believed(ToLongFunction<Long> claim, double clockRate) {
    Pacer pacer = new Pacer(Pacing.AUTO, 1_000 * MS);
    long nowNs = 1_000 * MS;
    long arrived = 0;
    for (int i = 1; i <= 3_000; i++) {
      nowNs += 20 * MS;
      pacer.sent(CALL_BYTES, nowNs);
      arrived += CALL_BYTES;
      if (i % 5 == 0) {
        receipts++;
        int clockUs = (int) (nowNs / 1000 * clockRate);
        int claimed = (int) claim.applyAsLong(arrived);
        pacer.receipt(
            new PathMessage.Receipt(clockUs, claimed, 25_000, 1_500, PathMessage.NO_COUNT),
            50_000,
            nowNs);
      }
    }
    return pacer.capacityPerSecond(nowNs);
  }

  @Test
  void anHonestDeviceIsBelieved() {
    assertThat(believed(arrived -> arrived, 1))
        .isBetween(0.9 * CALL_PER_SECOND, 1.1 * CALL_PER_SECOND);
  }

  @Test
  void aDeviceThatClaimsMoreMakesThePathNoFasterThanWhatWasSent() {
    lies.forEach(
        (lie, claim) -> assertThat(believed(claim, 1)).as(lie).isLessThan(1.6 * CALL_PER_SECOND));
  }

  @Test
  void aDeviceWhoseClockIsSlowMakesThePathNoFasterThanWhatWasSent() {
    assertThat(believed(arrived -> arrived, 0.9)).isLessThan(1.6 * CALL_PER_SECOND);
  }
}
