package io.viaduct.sip.useragent;

import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.util.random.RandomGenerator;

/// State of a registration or a subscription, which must be renewed. It says when the next request
/// is due, and it opens no socket and reads no clock. Confined to the user agent's thread.
///
/// ```
/// IDLE ─want→ TRYING ─granted→ ACTIVE ─renewal due→ TRYING …
///               └─failed or no answer→ WAITING ─back-off over→ TRYING
/// ```
final class Attempt {
  /// Shorter successes count as one more failure (RFC 5626 section 4.5, min-regtime).
  static final long STABLE_MS_MIN = 120_000;

  /// Least time from a grant to its renewal, however short the granted lifetime is.
  private static final long RENEWAL_MS_MIN = 500;

  private static final long NEVER = Long.MAX_VALUE;

  private final BackOff backOff;
  private final long timeoutMs;
  private Phase phase = Phase.IDLE;
  private long dueMs; // of the next request; while one is open, of its timeout
  private long earliestMs; // earliest renewal, so that the server is not asked without pause
  private long plannedMs; // renewal according to the granted lifetime
  private long latestMs = NEVER; // latest renewal, by [#renewBy]
  private long activeSinceMs = NEVER;
  private int generation;

  Attempt(BackOff backOff, long timeoutMs) {
    this.backOff = backOff;
    this.timeoutMs = timeoutMs;
  }

  static Attempt of(UserAgentSettings settings, RandomGenerator random) {
    return new Attempt(
        new BackOff(settings.backOffMax(), random), settings.attemptTimeout().toMillis());
  }

  /// Returns the time of a renewal: between 70 and 90 % of the granted time.
  static long renewal(long nowMs, long seconds, RandomGenerator random) {
    return nowMs + (long) (seconds * 1000 * (0.7 + 0.2 * random.nextDouble()));
  }

  Phase phase() {
    return phase;
  }

  /// Starts a request at once. The answer to an earlier request is ignored.
  void want(long nowMs) {
    phase = Phase.WAITING;
    dueMs = nowMs;
    generation++;
    backOff.reset();
    activeSinceMs = NEVER;
  }

  /// Ends the renewals.
  void stop() {
    phase = Phase.IDLE;
    generation++;
  }

  /// Returns true if a request should be sent now. Counts a request without an answer as failed.
  boolean isDue(long nowMs) {
    if (phase == Phase.IDLE || nowMs < dueMs) {
      return false;
    }
    if (phase == Phase.TRYING) {
      failed(generation, nowMs, 0);
      return false;
    }
    return true;
  }

  /// Notes that a request is sent. Its answer must name the returned generation.
  int begin(long nowMs) {
    phase = Phase.TRYING;
    dueMs = nowMs + timeoutMs;
    latestMs = NEVER;
    return ++generation;
  }

  boolean isCurrent(int of) {
    return of == generation && phase == Phase.TRYING;
  }

  void granted(int of, long nowMs, long renewAtMs) {
    if (isCurrent(of)) {
      activeSinceMs = Math.min(activeSinceMs, nowMs);
      phase = Phase.ACTIVE;
      earliestMs = nowMs + RENEWAL_MS_MIN;
      plannedMs = renewAtMs;
      dueMs = renewalMs();
    }
  }

  /// Notes a refusal or a missing answer, and waits for a back-off. It follows the server's time:
  /// all user agents that an overloaded server refuses get the same one.
  ///
  /// @param atLeastMs the server's Retry-After, or 0
  void failed(int of, long nowMs, long atLeastMs) {
    if (isCurrent(of)) {
      phase = Phase.WAITING;
      dueMs = nowMs + atLeastMs + pause(nowMs);
    }
  }

  /// Notes that the registration or subscription ended without a request of ours. The next request
  /// follows after a back-off.
  void lost(long nowMs) {
    if (phase != Phase.IDLE) {
      generation++;
      phase = Phase.WAITING;
      dueMs = nowMs + pause(nowMs);
    }
  }

  /// Notes that the connection or the registrar's state was lost. The next request follows at once
  /// if the success lasted long enough, else after a back-off.
  void lostConnection(long nowMs) {
    if (phase != Phase.IDLE) {
      boolean wasStable = wasStable(nowMs);
      lost(nowMs);
      if (wasStable) {
        dueMs = nowMs;
      }
    }
  }

  private long pause(long nowMs) {
    if (wasStable(nowMs)) {
      backOff.reset();
    }
    activeSinceMs = NEVER;
    return backOff.nextMs();
  }

  private boolean wasStable(long nowMs) {
    return activeSinceMs != NEVER && nowMs - activeSinceMs >= STABLE_MS_MIN;
  }

  /// Sets the latest time of a renewal, whatever lifetime is granted: a token may end before its
  /// subscription, and its NOTIFY may overtake the answer to SUBSCRIBE. A later call replaces the
  /// time. A time in the past is ignored: one of the two clocks is then wrong, and the next token
  /// would have the same fault.
  void renewBy(long nowMs, long atMs) {
    latestMs = atMs > nowMs ? atMs : NEVER;
    if (phase == Phase.ACTIVE) {
      dueMs = renewalMs();
    }
  }

  private long renewalMs() {
    return Math.max(earliestMs, Math.min(plannedMs, latestMs));
  }
}
