package io.viaduct.tunnel.pacing;

/// Computes from the last receipts the sending rate and the delivery rate over the shortest window
/// of at least 80 ms and one round trip, because jitter is part of the round trip. This is a
/// delivery rate sample as in draft-ietf-ccwg-bbr, by the receiver's clock.
final class DeliveryWindow {
  private static final int RECEIPTS = 32;
  private static final int SPAN_US_MIN = 80_000;
  private static final int SPAN_US_MAX = 400_000; // receipts may be 25 ms apart

  // Made for the first receipt: an idle session has none.
  private int[] timeUs = {};
  private int[] arrivedBytes = {};
  private long[] sentBytes = {};
  private long[] heardNs = {};
  private int count;
  private int spanUs = SPAN_US_MIN;
  private double deliveredPerSecond;

  void clear() {
    count = 0;
  }

  /// Adds one receipt.
  ///
  /// @param arrived bytes arrived, cumulative, low 32 bits
  /// @param sent bytes sent, cumulative
  /// @param roundTripUs NaN while unknown
  /// @return true if the window is long enough to know the rates
  boolean add(int receiverUs, int arrived, long sent, double roundTripUs, long nowNs) {
    spanUs = Math.clamp((int) roundTripUs, SPAN_US_MIN, SPAN_US_MAX); // NaN becomes 0
    if (timeUs.length == 0) {
      timeUs = new int[RECEIPTS];
      arrivedBytes = new int[RECEIPTS];
      sentBytes = new long[RECEIPTS];
      heardNs = new long[RECEIPTS];
    }
    int newest = count % RECEIPTS;
    timeUs[newest] = receiverUs;
    arrivedBytes[newest] = arrived;
    sentBytes[newest] = sent;
    heardNs[newest] = nowNs;
    count++;
    for (int back = 1; back < held(); back++) {
      int then = at(back);
      int span = receiverUs - timeUs[then];
      if (span >= spanUs) {
        deliveredPerSecond = (arrived - arrivedBytes[then]) * 1e6 / span;
        return true;
      }
    }
    return false;
  }

  /// Returns the peer's clock in the newest receipt. Undefined before the first receipt.
  int lastUs() {
    return timeUs[at(0)];
  }

  boolean isEmpty() {
    return count == 0;
  }

  double deliveredPerSecond() {
    return deliveredPerSecond;
  }

  /// Returns the sending rate of those bytes whose arrival the newest receipts report.
  ///
  /// @param agoNs time since those bytes left: round trip and queue
  double sentPerSecond(long agoNs) {
    int end = 0;
    while (end < held() - 2 && heardNs[at(0)] - heardNs[at(end)] < agoNs) {
      end++;
    }
    int start = end + 1;
    while (start < held() - 1 && heardNs[at(end)] - heardNs[at(start)] < spanUs * 1000L) {
      start++;
    }
    long spanNs = Math.max(1, heardNs[at(end)] - heardNs[at(start)]);
    return (sentBytes[at(end)] - sentBytes[at(start)]) * 1e9 / spanNs;
  }

  private int held() {
    return Math.min(count, RECEIPTS);
  }

  private int at(int back) {
    return (count - 1 - back) % RECEIPTS;
  }
}
