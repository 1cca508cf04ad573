package io.viaduct.bridge;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/// A clock that a test sets.
public final class TestClock implements InstantSource {
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

  @Override
  public Instant instant() {
    return now.get();
  }

  public void advance(Duration by) {
    now.updateAndGet(old -> old.plus(by));
  }
}
