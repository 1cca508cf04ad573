package io.viaduct.billing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/// A clock that only a test moves. It starts at the present, so that tariffs are in force.
public final class ManualClock implements InstantSource {
  private volatile Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);

  @Override
  public Instant instant() {
    return now;
  }

  public void advance(Duration step) {
    now = now.plus(step);
  }
}
