package io.viaduct.testbed.bench;

import java.util.Arrays;

/// Records one direction of a stream in memory of fixed size. One thread sends, one receives; a
/// third one reads [#series] when both have ended.
final class PacketTrack {
  private final long[] sentNs;
  private final int[] numbers;
  private final long[] arrivedNs;
  private final Arrivals arrivals = new Arrivals();
  private volatile int sent; // the sender writes
  private volatile int arrived; // the receiver writes

  /// @param packetsMax of the stream; twice as many arrivals are kept, for copies
  PacketTrack(int packetsMax) {
    sentNs = new long[packetsMax];
    numbers = new int[2 * packetsMax];
    arrivedNs = new long[2 * packetsMax];
  }

  /// Returns the number of the next packet.
  int next() {
    return sent;
  }

  boolean isFull() {
    return sent == sentNs.length;
  }

  /// Records that the next packet leaves.
  void onSent(long nowNs) {
    int number = sent;
    sentNs[number] = nowNs;
    sent = number + 1;
  }

  /// Records an arrival. A number that was never sent is an error of the measurement.
  void onArrival(int number, long nowNs) {
    if (number < 0 || number >= sent || arrived == numbers.length) {
      throw new IllegalStateException(
          "packet %d arrived, sent are %d, arrived %d".formatted(number, sent, arrived));
    }
    numbers[arrived] = number;
    arrivedNs[arrived] = nowNs;
    arrived = arrived + 1;
    arrivals.onPacket(nowNs);
  }

  int arrived() {
    return arrived;
  }

  /// Returns the arrivals as a watch on the present silence.
  Arrivals arrivals() {
    return arrivals;
  }

  /// Returns what was recorded so far.
  PacketSeries series() {
    int received = arrived;
    return new PacketSeries(
        Arrays.copyOf(sentNs, sent),
        Arrays.copyOf(numbers, received),
        Arrays.copyOf(arrivedNs, received));
  }
}
