package io.viaduct.tunnel.pacing;

import io.viaduct.tunnel.wire.PathMessage;

/// Spaces a session's datagrams: a token bucket by outer bytes, at a configured rate or the path's.
/// Owned by the session's event loop. Costs an addition per burst while nothing limits.
public final class Pacer {
  /// Credit that is waited for: shorter bursts would wake the loop more often.
  private static final long BURST_NS = 1_000_000;

  /// Credit that a late timer may use up.
  private static final long CREDIT_NS = 5_000_000;

  private final Pacing pacing;
  private final PathRate path = new PathRate();
  private double rate = PathRate.UNLIMITED;
  private long sentBytes;
  private long sentNs;
  private long freeNs;
  private boolean held;

  public Pacer(Pacing pacing, long nowNs) {
    this.pacing = pacing;
    freeNs = nowNs;
    sentNs = nowNs;
    if (pacing.bitPerSecond() > 0) {
      rate = pacing.bitPerSecond() / 8.0;
    }
  }

  /// Whether there is a limit now, so that queues stand here and not in the path.
  public boolean limits() {
    return rate != PathRate.UNLIMITED;
  }

  /// Bytes per second; infinite without a limit.
  public double bytesPerSecond() {
    return rate;
  }

  /// Bytes that may leave now, though one datagram always may if it is more than 0.
  public int allowance(long nowNs) {
    if (!limits()) {
      return Integer.MAX_VALUE;
    }
    long credit = Math.min(CREDIT_NS, nowNs - freeNs);
    return credit < 0 ? 0 : 1 + (int) Math.min(1 << 30, credit * rate / 1e9);
  }

  /// Something waits that may not leave yet. @return when to come back
  public long hold() {
    held = true;
    return freeNs + BURST_NS;
  }

  public void sent(int outerBytes, long nowNs) {
    sentBytes += outerBytes;
    sentNs = nowNs;
    if (limits()) {
      freeNs = Math.max(freeNs, nowNs - CREDIT_NS) + (long) (outerBytes * 1e9 / rate);
    }
  }

  /// When something left last.
  public long sentNs() {
    return sentNs;
  }

  /// The peer says what has arrived.
  public void receipt(PathMessage.Receipt receipt, double roundTripUs, long nowNs) {
    if (pacing.bitPerSecond() != 0) {
      return;
    }
    boolean before = limits();
    path.receipt(
        receipt.timeUs(), receipt.bytes(), receipt.delayUs(), sentBytes, held, roundTripUs, nowNs);
    held = false;
    rate = path.bytesPerSecond();
    if (limits() && !before) {
      freeNs = nowNs;
    }
  }

  /// Another path: nothing is known of it.
  public void pathChanged() {
    path.reset();
    if (pacing.bitPerSecond() == 0) {
      rate = PathRate.UNLIMITED;
    }
  }
}
