package io.viaduct.radius;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/// A clock that a test moves.
public final class SettableClock implements InstantSource {
  private volatile Instant now = Instant.parse("2026-11-27T10:00:00Z");

  @Override
  public Instant instant() {
    return now;
  }

  public synchronized void advance(Duration time) {
    now = now.plus(time);
  }
}
