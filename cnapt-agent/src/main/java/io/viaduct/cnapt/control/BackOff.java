package io.viaduct.cnapt.control;

import java.util.random.RandomGenerator;

/// The pauses between connection attempts. They double from the first to the longest. Each pause
/// varies at random by up to a quarter, so that the devices of a radio cell do not reconnect at the
/// same time.
final class BackOff {
  private static final double SPREAD = 0.25;
  private static final int DOUBLINGS_MAX = 30;

  // A process takes seconds to restart, so a delay of half a second is acceptable.
  private static final int PATIENT_MS_MIN = 200;
  private static final int PATIENT_MS_MAX = 500;

  private final long firstMs;
  private final long mostMs;
  private final RandomGenerator random;
  private int failures;

  BackOff(ControlSettings settings, RandomGenerator random) {
    this.firstMs = settings.retryFirst().toMillis();
    this.mostMs = settings.retryMax().toMillis();
    this.random = random;
  }

  /// Returns the next pause in milliseconds.
  long next() {
    long pause = Math.min(mostMs, firstMs << Math.min(failures, DOUBLINGS_MAX));
    failures++;
    return Math.max(1, Math.round(pause * (1 + SPREAD * (2 * random.nextDouble() - 1))));
  }

  /// Returns the next pause in milliseconds, for a SNAPT that should be back soon.
  long patient() {
    failures++;
    return random.nextInt(PATIENT_MS_MIN, PATIENT_MS_MAX + 1);
  }

  /// Returns the number of failures since the last success.
  int failures() {
    return failures;
  }

  void succeeded() {
    failures = 0;
  }
}
