package io.viaduct.tunnel.path;

/// Measures the share of this end's bytes that one direction of a path loses, from the peer's
/// receipts.
///
/// A receipt names the bytes that have arrived, and the time at which a datagram left that arrived
/// just then: the receiver's clock minus the one-way delay, which is the sender's own clock. The
/// bytes that had left at that time should have arrived. The difference over at least 250 ms and 20
/// datagrams' bytes is one sample; so is that over 1 s and 4,000 bytes of a path with little
/// traffic. Jitter can make a sample negative, so that its mean does not deceive. Two weighted
/// means follow it: one of 1 s, by which traffic leaves a path, and one of 10 s, for the reader
/// (seed 001, time scales). Owner: the session's event loop.
public final class PathLoss {
  static final long SAMPLE_NS = 250_000_000;
  static final int SAMPLE_BYTES = 24_000;
  static final long THIN_SAMPLE_NS = 1_000_000_000;
  static final int THIN_SAMPLE_BYTES = 4_000;
  private static final int MARKS = 128;
  private static final long MARK_NS = 5_000_000;
  private static final double ALPHA = 0.63;
  private static final double SHORT_NS = 1e9;
  private static final double LONG_NS = 10e9;

  private final RttEstimator quick = new RttEstimator(ALPHA, SHORT_NS);
  private final RttEstimator slow = new RttEstimator(ALPHA, LONG_NS);
  // Made for the first receipt: most sessions are idle.
  private int[] markUs = {};
  private long[] markBytes = {};
  private int marks;
  private long markedNs;
  private boolean started;
  private long fromSent;
  private int fromArrived;
  private long fromNs;

  /// Notes what has left.
  ///
  /// @param sentBytes bytes of outer IP packets since the path began
  public void sent(long sentBytes, long nowNs) {
    if (markUs.length == 0 || marks > 0 && nowNs - markedNs < MARK_NS) {
      return;
    }
    markedNs = nowNs;
    markUs[marks & MARKS - 1] = (int) (nowNs / 1000);
    markBytes[marks & MARKS - 1] = sentBytes;
    marks++;
  }

  /// Takes a receipt.
  ///
  /// @param leftUs this end's clock when a datagram left that arrived at the time of the receipt,
  ///   low 32 bits
  /// @param arrivedBytes bytes that have arrived since the path began, low 32 bits
  public void receipt(int leftUs, int arrivedBytes, long nowNs) {
    if (markUs.length == 0) {
      markUs = new int[MARKS];
      markBytes = new long[MARKS];
    }
    long sent = sentAt(leftUs);
    if (sent < 0) {
      return;
    }
    if (!started) {
      begin(sent, arrivedBytes, nowNs);
      return;
    }
    long left = sent - fromSent;
    long arrived = Integer.toUnsignedLong(arrivedBytes - fromArrived);
    boolean isMuch = nowNs - fromNs >= SAMPLE_NS && left >= SAMPLE_BYTES;
    boolean isLong = nowNs - fromNs >= THIN_SAMPLE_NS && left >= THIN_SAMPLE_BYTES;
    if (!isMuch && !isLong) {
      return;
    }
    if (arrived <= 2 * left) {
      double ratio = 1 - (double) arrived / left;
      quick.sample(nowNs - fromNs, ratio);
      slow.sample(nowNs - fromNs, ratio);
    }
    begin(sent, arrivedBytes, nowNs);
  }

  private void begin(long sent, int arrived, long nowNs) {
    started = true;
    fromSent = sent;
    fromArrived = arrived;
    fromNs = nowNs;
  }

  /// Returns the bytes that had left at a time, between two marks by proportion; −1 if that is no
  /// longer known.
  private long sentAt(int us) {
    for (int i = marks - 1; i > 0 && i > marks - MARKS; i--) {
      int later = i & MARKS - 1;
      int earlier = i - 1 & MARKS - 1;
      int sinceUs = us - markUs[earlier];
      if (sinceUs >= 0) {
        int spanUs = Math.max(1, markUs[later] - markUs[earlier]);
        double share = Math.min(1, (double) sinceUs / spanUs);
        return markBytes[earlier] + (long) (share * (markBytes[later] - markBytes[earlier]));
      }
    }
    return -1;
  }

  /// Forgets everything, because the path has changed.
  public void reset() {
    quick.reset();
    slow.reset();
    marks = 0;
    started = false;
  }

  /// Returns the share that was lost in about the last second; 0 before the first sample.
  public double recent() {
    return Double.isNaN(quick.smoothed()) ? 0 : Math.max(0, quick.smoothed());
  }

  /// Returns the share that was lost in about the last ten seconds; NaN before the first sample.
  public double longTerm() {
    return Double.isNaN(slow.smoothed()) ? slow.smoothed() : Math.max(0, slow.smoothed());
  }
}
