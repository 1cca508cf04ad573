package io.viaduct.cnapt.control;

import java.util.random.RandomGenerator;

/// Pauses between attempts: doubling from the first to the longest, each spread by a quarter to
/// either side, so that the devices of a whole cell do not come back in step.
final class BackOff {
  private static final double SPREAD = 0.25;
  private static final int DOUBLINGS_MAX = 30;

  // A process takes seconds to start again: half a second late is early enough to resume.
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

  /// The next pause in milliseconds.
  long next() {
    long pause = Math.min(mostMs, firstMs << Math.min(failures, DOUBLINGS_MAX));
    failures++;
    return Math.max(1, Math.round(pause * (1 + SPREAD * (2 * random.nextDouble() - 1))));
  }

  /// The next pause in milliseconds while a SNAPT is awaited that should be back soon.
  long patient() {
    failures++;
    return random.nextInt(PATIENT_MS_MIN, PATIENT_MS_MAX + 1);
  }

  /// Failures since the last success.
  int failures() {
    return failures;
  }

  void succeeded() {
    failures = 0;
  }
}
