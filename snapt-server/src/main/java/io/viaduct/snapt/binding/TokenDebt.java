package io.viaduct.snapt.binding;

/// Decides when an expired token ends its session. A device that sleeps cannot renew its token: if
/// it was silent when the token expired, its session stays, and after its first sign of life it has
/// 30 s to show a new token. A device that is awake renews in time, so its session ends at once.
/// Owned by the control thread.
final class TokenDebt {
  /// Silence that means sleep: a device that is awake sends a PROBE every 25 s.
  static final long ASLEEP_MS = 30_000;

  /// Time for registration, token and control connection after the sleep. What is carried in this
  /// time is all that a device without a right to a token can get.
  static final long GRACE_MS = 30_000;

  private static final long NEVER = Long.MAX_VALUE;

  private boolean asleep;
  private long dueMs = NEVER;

  /// Forgets the debt, because the device has shown a newer token.
  void paid() {
    asleep = false;
    dueMs = NEVER;
  }

  /// Returns whether the session must end. Called at the token's expiry, and at least every ten
  /// seconds from then on.
  ///
  /// @param expiresMs expiry of the token, in the past
  /// @param heardMs last sign of life
  boolean isOverdue(long expiresMs, long heardMs, long nowMs) {
    if (heardMs <= expiresMs - ASLEEP_MS) {
      asleep = true;
      return false;
    }
    if (asleep && dueMs == NEVER) {
      dueMs = nowMs + GRACE_MS;
    }
    return !asleep || nowMs >= dueMs;
  }
}
