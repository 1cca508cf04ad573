package io.viaduct.tunnel.pacing;

import static org.assertj.core.api.Assertions.assertThat;

import io.viaduct.tunnel.wire.PathMessage;
import io.viaduct.tunnel.wire.PathMessage.Receipt;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptScheduleTest {
  private static final int DATAGRAM = 1_000;

  private long nowNs = 1_000_000_000;
  private long sentNs = nowNs;
  private ReceiptSchedule receipts = new ReceiptSchedule(true, false, nowNs);

  private void arrive(int datagrams) {
    receipts.arrived(datagrams * DATAGRAM, DATAGRAM);
    receipts.data(nowNs);
    receipts.delay(40);
  }

  /// Lets a datagram arrive in each interval, and sends none. @return the times of the receipts, ms
  private List<Long> oneWay(int intervalMs, int totalMs) {
    List<Long> times = new ArrayList<>();
    for (int at = intervalMs; at <= totalMs; at += intervalMs) {
      nowNs += intervalMs * 1_000_000L;
      arrive(1);
      if (receipts.due(sentNs, nowNs) != null) {
        times.add((long) at);
      }
    }
    return times;
  }

  @Test
  void aReceiptIsDueAfterEnoughBytesButNotTooSoon() {
    arrive(ReceiptSchedule.SPACING_BYTES / DATAGRAM);
    assertThat(receipts.due(sentNs, nowNs)).isNull();
    nowNs += ReceiptSchedule.SPACING_NS;
    Receipt receipt = receipts.due(sentNs, nowNs);
    assertThat(receipt)
        .isEqualTo(
            new Receipt(
                (int) (nowNs / 1000),
                ReceiptSchedule.SPACING_BYTES,
                40,
                DATAGRAM,
                PathMessage.NO_COUNT));
    arrive(ReceiptSchedule.SPACING_BYTES / DATAGRAM - 1);
    nowNs += 10 * ReceiptSchedule.SPACING_NS;
    assertThat(receipts.due(sentNs, nowNs)).as("one datagram too few").isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {350, 700, 1_000, 1_300, 1_500, 2_000})
  void anEndThatOnlyReceivesConfirmsArrivalsWithinFiveSeconds(int intervalMs) {
    List<Long> times = oneWay(intervalMs, 60_000);
    assertThat(times.getFirst()).isBetween(3_500L, 5_000L);
    assertThat(times).hasSizeBetween(12, 17);
  }

  @Test
  void anEndThatIsNotWatchedConfirmsNothing() {
    receipts = new ReceiptSchedule(false, false, nowNs);
    assertThat(oneWay(700, 60_000))
        .as("only the receipts per 12,000 bytes")
        .hasSize(60_000 / 700 / 12);
  }

  @Test
  void anEndThatSendsNeedNotConfirmArrivals() {
    for (int i = 0; i < 2; i++) {
      assertThat(oneWay(700, 2_800)).isEmpty();
      sentNs = nowNs;
    }
  }

  @Test
  void aRequestAfterAPauseGetsAnAnswerAndNoReceipt() {
    arrive(1);
    assertThat(receipts.due(sentNs, nowNs)).as("the last packet gets no answer").isNull();
    nowNs += 25_000_000_000L;
    arrive(1);
    assertThat(receipts.due(sentNs, nowNs)).isNull();
  }

  @Test
  void datagramsWithoutDataGetNoReceipt() {
    arrive(1);
    assertThat(receipts.due(sentNs, nowNs)).isNull();
    nowNs += 10_000_000_000L;
    receipts.arrived(77, 77);
    assertThat(receipts.due(sentNs, nowNs)).isNull();
    assertThat(receipts.due(sentNs, nowNs)).as("a batch of packets to send").isNull();
  }

  @Test
  void withoutAStampNoReceiptIsSent() {
    for (int i = 0; i < 20; i++) {
      nowNs += 1_000_000_000L;
      receipts.arrived(ReceiptSchedule.SPACING_BYTES, DATAGRAM);
      receipts.data(nowNs);
      assertThat(receipts.due(sentNs, nowNs)).isNull();
    }
  }
}
