package io.viaduct.cnapt;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/// The clocks of an agent.
///
/// @param wall time of day, which may be set while the agent runs
/// @param monotonic nanoseconds, for durations
record AgentClock(InstantSource wall, LongSupplier monotonic) {
  Instant instant() {
    return wall.instant();
  }

  /// Returns the time of day as Unix time in ms.
  long nowMs() {
    return wall.millis();
  }

  long nowNs() {
    return monotonic.getAsLong();
  }
}
