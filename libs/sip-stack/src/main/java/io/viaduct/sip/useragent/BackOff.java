package io.viaduct.sip.useragent;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// Computes the waits between attempts. The wait doubles from one second to a limit, and a random
/// part of up to one half is taken off. So the agents of a failed bridge do not all come back at
/// once.
final class BackOff {
  private static final long FIRST_MS = 1_000;
  private static final int DOUBLINGS_MAX = 16;

  private final long limitMs;
  private final RandomGenerator random;
  private int failures;

  BackOff(Duration limit, RandomGenerator random) {
    this.limitMs = limit.toMillis();
    this.random = random;
  }

  /// Returns the wait after one more failure, in milliseconds.
  long nextMs() {
    long whole = Math.min(limitMs, FIRST_MS << Math.min(failures++, DOUBLINGS_MAX));
    return whole / 2 + random.nextLong(whole / 2 + 1);
  }

  void reset() {
    failures = 0;
  }
}
