package io.viaduct.tunnel.pacing;

import io.viaduct.tunnel.wire.PathMessage;
import org.jspecify.annotations.Nullable;

/// Spaces a session's datagrams: a token bucket by outer bytes, at a configured rate or the path's
/// rate. Owned by the session's event loop. Without a limit it costs one addition per burst.
public final class Pacer {
  /// Credit to wait for, as time: shorter bursts would wake the loop more often.
  private static final long BURST_NS = 1_000_000;

  /// Largest credit, as time: it makes up for a timer that fires late.
  private static final long CREDIT_NS = 5_000_000;

  /// Least time between two measurements of the sent rate.
  private static final long RATE_NS = 250_000_000;

  /// Time for which an overrun queue goes on to drop packets, at most.
  private static final long OVERRUN_NS = 500_000_000;

  private final Pacing pacing;
  private @Nullable PathRate path; // made for the first receipt: most sessions are idle
  private double rate = PathRate.UNLIMITED;
  private long sentBytes;
  private long sentNs;
  private long freeNs;
  private boolean held;
  private double sentRate;
  private long rateFromBytes;
  private long rateFromNs;

  public Pacer(Pacing pacing, long nowNs) {
    this.pacing = pacing;
    freeNs = nowNs;
    sentNs = nowNs;
    rateFromNs = nowNs;
    if (pacing.bitPerSecond() > 0) {
      rate = pacing.bitPerSecond() / 8.0;
    }
  }

  /// Returns whether a rate limit applies now, so that queues stand here and not in the path.
  public boolean isLimiting() {
    return rate != PathRate.UNLIMITED;
  }

  /// Returns the rate in bytes per second, infinite without a limit.
  public double bytesPerSecond() {
    return rate;
  }

  /// Returns the rate in bytes per second as far as it is known now: infinite without a limit, and
  /// if no receipt has confirmed a measured one for 10 s.
  public double confirmedPerSecond(long nowNs) {
    boolean isConfigured = pacing.bitPerSecond() != 0;
    return isConfigured || path == null || path.isConfirmed(nowNs) ? rate : PathRate.UNLIMITED;
  }

  /// Returns the bytes that may leave now. If this is above 0, one whole datagram may always leave.
  public int allowance(long nowNs) {
    if (!isLimiting()) {
      return Integer.MAX_VALUE;
    }
    long creditNs = Math.min(CREDIT_NS, nowNs - freeNs);
    return creditNs < 0 ? 0 : 1 + (int) Math.min(1 << 30, creditNs * rate / 1e9);
  }

  /// Notes that a datagram waits for credit. @return the time to try again
  public long holdUntilNs() {
    held = true;
    return freeNs + BURST_NS;
  }

  public void sent(int outerBytes, long nowNs) {
    sentBytes += outerBytes;
    sentNs = nowNs;
    if (isLimiting()) {
      freeNs = Math.max(freeNs, nowNs - CREDIT_NS) + (long) (outerBytes * 1e9 / rate);
    }
  }

  /// Returns the rate at which datagrams left lately, in bytes per second: a mean over about a
  /// second.
  public double sentPerSecond(long nowNs) {
    long sinceNs = nowNs - rateFromNs;
    if (sinceNs >= RATE_NS) {
      double present = (sentBytes - rateFromBytes) * 1e9 / sinceNs;
      // By the time since the last call: callers of different diligence must see the same.
      double weight = Math.min(1, sinceNs / (3.0 * RATE_NS));
      sentRate += (present - sentRate) * weight;
      rateFromBytes = sentBytes;
      rateFromNs = nowNs;
    }
    return sentRate;
  }

  /// Returns what the path is known to carry, in bytes per second; 0 if nothing is known.
  public double capacityPerSecond(long nowNs) {
    if (pacing.bitPerSecond() > 0) {
      return rate;
    }
    return path == null ? 0 : path.capacityPerSecond(nowNs);
  }

  /// Returns what is known of the path's rate; null without a measured one, and if no receipt has
  /// confirmed it for 10 s.
  public @Nullable KnownRate known(long nowNs) {
    double capacity = capacityPerSecond(nowNs);
    return pacing.bitPerSecond() != 0 || path == null || !path.isConfirmed(nowNs) || capacity <= 0
        ? null
        : new KnownRate(rate, capacity);
  }

  /// Begins with a known rate, unless one is configured or measured here already.
  public void begin(KnownRate known, long nowNs) {
    if (pacing.bitPerSecond() == 0 && !isLimiting()) {
      PathRate begun = new PathRate();
      begun.begin(known, nowNs);
      path = begun;
      rate = begun.bytesPerSecond();
      freeNs = nowNs;
    }
  }

  /// Takes a rate in bytes per second that the path has been found to carry at least.
  public void carries(double bytesPerSecond, long nowNs) {
    PathRate of = path == null ? new PathRate() : path;
    path = of;
    of.carries(bytesPerSecond, nowNs);
  }

  /// Returns whether the path's queue may drop packets now, because more was sent lately than the
  /// path carries. That says nothing about the loss of the path.
  public boolean isOverrun(long nowNs) {
    return path != null
        && path.overrunNs() != Long.MIN_VALUE
        && nowNs - path.overrunNs() < OVERRUN_NS;
  }

  /// Returns the bytes that have left since the path began.
  public long sentBytes() {
    return sentBytes;
  }

  /// Returns the time of the last sending.
  public long sentNs() {
    return sentNs;
  }

  /// Takes the peer's report about arrived datagrams.
  public void receipt(PathMessage.Receipt receipt, double roundTripUs, long nowNs) {
    if (pacing.bitPerSecond() != 0) {
      return;
    }
    boolean before = isLimiting();
    PathRate of = path == null ? new PathRate() : path;
    path = of;
    of.receipt(
        receipt.timeUs(), receipt.bytes(), receipt.delayUs(), sentBytes, held, roundTripUs, nowNs);
    held = false;
    rate = of.bytesPerSecond();
    if (isLimiting() && !before) {
      freeNs = nowNs;
    }
  }

  /// Forgets the measured rate: datagrams now take another path.
  public void pathChanged() {
    path = null;
    if (pacing.bitPerSecond() == 0) {
      rate = PathRate.UNLIMITED;
    }
  }
}
