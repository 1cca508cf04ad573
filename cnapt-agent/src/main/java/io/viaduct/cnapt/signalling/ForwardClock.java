package io.viaduct.cnapt.signalling;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// A time of day for timers. It follows the wall clock, which goes on while the device sleeps, but
/// never goes back: when the wall clock is set back, the time goes on from where it was, so that no
/// registration or renewal waits for the clock to catch up. Thread-safe.
final class ForwardClock implements InstantSource {
  private static final long STEP_MS = 1_000; // more than the correction of a clock that is slewed

  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private long lastWallMs;
  private long lastNs;
  private long aheadMs; // of the wall clock, by all steps back

  /// @param nanoTime monotonic, ns
  ForwardClock(InstantSource wall, LongSupplier nanoTime) {
    this.wall = wall;
    this.nanoTime = nanoTime;
    lastWallMs = wall.millis();
    lastNs = nanoTime.getAsLong();
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public synchronized long millis() {
    long wallMs = wall.millis();
    long nowNs = nanoTime.getAsLong();
    long expectedMs = lastWallMs + (nowNs - lastNs) / 1_000_000;
    if (wallMs < expectedMs - STEP_MS) {
      aheadMs += expectedMs - wallMs;
    }
    lastWallMs = wallMs;
    lastNs = nowNs;
    return wallMs + aheadMs;
  }
}
