package io.viaduct.host.udp;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// Measures how long a datagram waited in the socket, by the kernel's time stamp
/// (`SO_TIMESTAMPNS`). The kernel's stamp is wall-clock time. The offset between the wall clock and
/// the loop's clock is measured once a second. Event loop only.
final class ArrivalClock {
  static final long MEASURE_INTERVAL_NS = 1_000_000_000L;

  /// A longer wait means that the wall clock was set meanwhile.
  static final long WAITED_NS_MAX = 1_000_000_000L;

  /// A longer time between the two readings means that the thread was interrupted.
  private static final long READING_NS_MAX = 50_000;

  private final InstantSource wallClock;
  private final LongSupplier nanoTime;
  private long offsetNs;
  private long measuredNs;
  private boolean isKnown;

  ArrivalClock(InstantSource wallClock, LongSupplier nanoTime) {
    this.wallClock = wallClock;
    this.nanoTime = nanoTime;
  }

  /// Returns the time since the kernel received a datagram.
  ///
  /// @param stampNs time of reception in nanoseconds since 1970; 0: no stamp
  /// @return nanoseconds, 0 … 1 s; 0 if unknown
  long waitedNs(long stampNs) {
    if (stampNs == 0) {
      return 0;
    }
    long nowNs = nanoTime.getAsLong();
    if (!isKnown || nowNs - measuredNs >= MEASURE_INTERVAL_NS) {
      measureOffset(nowNs);
      nowNs = nanoTime.getAsLong();
    }
    long elapsedNs = nowNs + offsetNs - stampNs;
    return isKnown && elapsedNs > 0 && elapsedNs <= WAITED_NS_MAX ? elapsedNs : 0;
  }

  private void measureOffset(long beforeNs) {
    Instant wall = wallClock.instant();
    long afterNs = nanoTime.getAsLong();
    if (afterNs - beforeNs <= READING_NS_MAX) {
      long wallNs = wall.getEpochSecond() * 1_000_000_000L + wall.getNano();
      offsetNs = wallNs - (beforeNs + (afterNs - beforeNs) / 2);
      measuredNs = afterNs;
      isKnown = true;
    }
  }
}
