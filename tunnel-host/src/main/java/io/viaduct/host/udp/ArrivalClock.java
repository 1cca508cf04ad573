package io.viaduct.host.udp;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// How long a datagram has waited in the socket, by the kernel's stamp (`SO_TIMESTAMPNS`). The
/// kernel stamps by the wall clock; its distance from the loop's clock is looked at once a second.
/// Event loop only.
final class ArrivalClock {
  static final long LOOK_NS = 1_000_000_000L;

  /// Beyond, the wall clock was set meanwhile.
  static final long WAITED_NS_MAX = 1_000_000_000L;

  /// Both clocks are read within this, or the thread was not running in between.
  private static final long READING_NS_MAX = 50_000;

  private final InstantSource wallClock;
  private final LongSupplier nanoTime;
  private long distanceNs;
  private long lookedNs;
  private boolean known;

  ArrivalClock(InstantSource wallClock, LongSupplier nanoTime) {
    this.wallClock = wallClock;
    this.nanoTime = nanoTime;
  }

  /// @param stampNs when the kernel received it, since 1970; 0: it did not say
  /// @return nanoseconds since then, 0 … 1 s; 0 if that is not known
  long waitedNs(long stampNs) {
    if (stampNs == 0) {
      return 0;
    }
    long nowNs = nanoTime.getAsLong();
    if (!known || nowNs - lookedNs >= LOOK_NS) {
      look(nowNs);
      nowNs = nanoTime.getAsLong();
    }
    long waited = nowNs + distanceNs - stampNs;
    return known && waited > 0 && waited <= WAITED_NS_MAX ? waited : 0;
  }

  private void look(long beforeNs) {
    Instant wall = wallClock.instant();
    long afterNs = nanoTime.getAsLong();
    if (afterNs - beforeNs <= READING_NS_MAX) {
      long wallNs = wall.getEpochSecond() * 1_000_000_000L + wall.getNano();
      distanceNs = wallNs - (beforeNs + (afterNs - beforeNs) / 2);
      lookedNs = afterNs;
      known = true;
    }
  }
}
