package io.viaduct.tunnel.path;

import org.jspecify.annotations.Nullable;

/// Measures the share of this end's bytes that one direction of a path loses, from the peer's
/// receipts.
///
/// A receipt names the bytes that have arrived, and the time at which a datagram left that arrived
/// just then: the receiver's clock minus the one-way delay, which is the sender's own clock. The
/// bytes that had left at that time should have arrived. Owner: the session's event loop.
public final class PathLoss {
  private static final int MARKS = 128;
  private static final long MARK_NS = 5_000_000;

  private final LossEstimate estimate = new LossEstimate();
  // Made for the first receipt: most sessions are idle.
  private int[] markUs = {};
  private long[] markBytes = {};
  private int marks;
  private long markedNs;

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
  /// @param counts false if what was lost since the last receipt is no loss of the path
  public void receipt(int leftUs, int arrivedBytes, boolean counts, long nowNs) {
    if (markUs.length == 0) {
      markUs = new int[MARKS];
      markBytes = new long[MARKS];
    }
    long sent = sentAt(leftUs);
    if (sent >= 0) {
      if (counts) {
        estimate.counts((int) sent, arrivedBytes, nowNs);
      } else {
        estimate.begin((int) sent, arrivedBytes, nowNs);
      }
    }
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

  /// Takes what the prober has measured of the same direction, see [LossEstimate#shared].
  public void shared(double recent, double longTerm, long nowNs) {
    estimate.shared(recent, longTerm, nowNs);
  }

  /// Forgets everything, because the path has changed.
  public void reset() {
    estimate.reset();
    marks = 0;
  }

  /// Returns the newest sample, see [LossEstimate#newest].
  public @Nullable LossSample newest() {
    return estimate.newest();
  }

  /// Returns the share that was lost in about the last second; 0 before the first sample.
  public double recent(long nowNs) {
    return estimate.recent(nowNs);
  }

  /// Returns the share that was lost in about the last ten seconds; 0 before the first sample.
  public double longTerm(long nowNs) {
    return estimate.longTerm(nowNs);
  }
}
