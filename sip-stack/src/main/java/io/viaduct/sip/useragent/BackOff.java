package io.viaduct.sip.useragent;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// Waits between attempts: doubling from one second to a limit, each between half and the whole of
/// it, so that the agents of a fallen bridge do not come back all at once.
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

  /// How long to wait after one more failure, milliseconds.
  long nextMs() {
    long whole = Math.min(limitMs, FIRST_MS << Math.min(failures++, DOUBLINGS_MAX));
    return whole / 2 + random.nextLong(whole / 2 + 1);
  }

  void reset() {
    failures = 0;
  }
}
