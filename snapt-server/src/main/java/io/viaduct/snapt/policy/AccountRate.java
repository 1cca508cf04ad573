package io.viaduct.snapt.policy;

import java.util.concurrent.atomic.AtomicLong;

/// The rate limit of one account in one direction. All sessions of the account share it, on all
/// event loops. The generic cell rate algorithm (ITU-T I.371) is used: a token bucket whose state
/// is one number.
public final class AccountRate {
  // A superpacket has up to 64 KiB, and TCP sends several at once.
  private static final long BURST_BYTES_MIN = 256 * 1024;
  private static final long BURST_MS = 50;
  private static final long NS_PER_S = 1_000_000_000L;

  private final long bitsPerSecond;
  private final long burstNs;
  // Theoretical arrival time of I.371: when the bucket is full again, in ns of the callers' clock.
  private final AtomicLong paidNs;

  /// @param bitsPerSecond at most [AccountRates#BITS_PER_SECOND_MAX]; a higher rate overflows the
  ///   burst
  AccountRate(long bitsPerSecond, long nowNs) {
    this.bitsPerSecond = bitsPerSecond;
    long burstBytes = Math.max(BURST_BYTES_MIN, bitsPerSecond / 8 * BURST_MS / 1000);
    this.burstNs = costNs(burstBytes);
    this.paidNs = new AtomicLong(nowNs);
  }

  private long costNs(long bytes) {
    return bytes * 8 * NS_PER_S / bitsPerSecond;
  }

  /// Consumes the bytes of a packet, if the rate allows them; any thread may call this.
  ///
  /// @return false if the account has used up its rate and the packet must be dropped
  public boolean take(int bytes, long nowNs) {
    long cost = costNs(bytes);
    while (true) {
      long before = paidNs.get();
      // Differences, because System.nanoTime may wrap.
      long ahead = Math.max(0, before - nowNs);
      if (ahead + cost > burstNs) {
        return false;
      }
      if (paidNs.compareAndSet(before, nowNs + ahead + cost)) {
        return true;
      }
    }
  }
}
