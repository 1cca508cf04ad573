package io.viaduct.tunnel.pacing;

import io.viaduct.tunnel.wire.PathMessage;
import java.util.Arrays;

/// Simulates a sender with a demand, a bottleneck, and a receiver that sends receipts, by a manual
/// clock.
final class PacedSender {
  private static final int DATAGRAM_BYTES = 1_440;
  private static final long STEP_NS = 200_000;

  private record Datagram(long sentUs) {}

  final Pacer pacer;
  final BottleneckLink<Datagram> link;
  final BottleneckLink<PathMessage.Receipt> back;
  private final ReceiptSchedule receipts;
  private final long clockOffsetUs;
  double demandBytesPerSecond;
  private double pendingBytes;
  private double mostPendingBytes;
  long nowNs = 1_000_000_000L;
  private long[] queuesUs = new long[1024];
  private int samples;
  int receiptsSent;

  PacedSender(double bitPerSecond, long delayNs, long bufferNs, double demandBitPerSecond) {
    pacer = new Pacer(Pacing.AUTO, nowNs);
    link = new BottleneckLink<>(bitPerSecond, delayNs, bufferNs);
    back = new BottleneckLink<>(1e9, delayNs, bufferNs);
    receipts = new ReceiptSchedule(false, false, nowNs);
    clockOffsetUs = 0x7FFF_FFF0L; // wraps during the test
    demandBytesPerSecond = demandBitPerSecond / 8;
  }

  /// Runs the simulation. @return bit/s that the link carried meanwhile
  double run(double seconds) {
    long endNs = nowNs + (long) (seconds * 1e9);
    long before = link.carriedBytes();
    samples = 0;
    mostPendingBytes = 0;
    while (nowNs < endNs) {
      nowNs += STEP_NS;
      step();
      if (samples == queuesUs.length) {
        queuesUs = Arrays.copyOf(queuesUs, samples * 2);
      }
      queuesUs[samples++] = link.queueNs(nowNs) / 1000;
    }
    return (link.carriedBytes() - before) * 8 / seconds;
  }

  /// Returns a percentile of the link's queue during the last run, in ms.
  double queueMs(double percentile) {
    long[] sorted = Arrays.copyOf(queuesUs, samples);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(samples - 1L, Math.round(percentile / 100 * samples))] / 1e3;
  }

  /// Returns the longest time that a byte has waited for the pacer in the last run, at the demanded
  /// rate, in ms.
  double waitedMs() {
    return mostPendingBytes / demandBytesPerSecond * 1e3;
  }

  private void step() {
    pendingBytes = Math.min(pendingBytes + demandBytesPerSecond * STEP_NS / 1e9, 4_000_000);
    while (pendingBytes >= DATAGRAM_BYTES) {
      int allowance = pacer.allowance(nowNs);
      if (allowance == 0) {
        pacer.holdUntilNs();
        break;
      }
      pendingBytes -= DATAGRAM_BYTES;
      pacer.sent(DATAGRAM_BYTES, nowNs);
      link.send(new Datagram(nowNs / 1000), DATAGRAM_BYTES, nowNs);
    }
    mostPendingBytes = Math.max(mostPendingBytes, pendingBytes);
    link.deliver(nowNs, this::arrived);
    back.deliver(nowNs, receipt -> pacer.receipt(receipt, link.roundTripNs() / 1000.0, nowNs));
  }

  private void arrived(Datagram datagram) {
    receipts.arrived(DATAGRAM_BYTES, DATAGRAM_BYTES);
    receipts.delay((int) (nowNs / 1000 + clockOffsetUs - datagram.sentUs));
    PathMessage.Receipt receipt = receipts.due(nowNs, nowNs);
    if (receipt != null) {
      receiptsSent++;
      back.send(receipt, 65, nowNs);
    }
  }
}
