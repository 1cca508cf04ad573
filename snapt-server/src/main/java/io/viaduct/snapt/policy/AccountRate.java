package io.viaduct.snapt.policy;

import java.util.concurrent.atomic.AtomicLong;

/// The rate of one account in one direction, shared by all its sessions and their event loops: the
/// generic cell rate algorithm (ITU-T I.371), which is a token bucket with one number of state.
public final class AccountRate {
  // A superpacket is up to 64 KiB, and TCP sends several at once.
  private static final long BURST_BYTES_MIN = 256 * 1024;
  private static final long BURST_MS = 50;
  private static final long NS_PER_S = 1_000_000_000L;

  private final long bitsPerSecond;
  private final long burstNs;
  // When everything that was let through will have been paid for, in the clock of the callers.
  private final AtomicLong paidNs;

  /// @param bitsPerSecond at most [AccountRates#BITS_PER_SECOND_MAX], or the burst overflows
  AccountRate(long bitsPerSecond, long nowNs) {
    this.bitsPerSecond = bitsPerSecond;
    long burstBytes = Math.max(BURST_BYTES_MIN, bitsPerSecond / 8 * BURST_MS / 1000);
    this.burstNs = costNs(burstBytes);
    this.paidNs = new AtomicLong(nowNs);
  }

  private long costNs(long bytes) {
    return bytes * 8 * NS_PER_S / bitsPerSecond;
  }

  /// Takes the bytes of a packet out of the rate; any thread.
  ///
  /// @return false if the account has none left now
  public boolean take(int bytes, long nowNs) {
    long cost = costNs(bytes);
    while (true) {
      long before = paidNs.get();
      // Differences, because the clock may wrap.
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
