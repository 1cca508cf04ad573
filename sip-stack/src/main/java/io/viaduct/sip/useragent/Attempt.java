package io.viaduct.sip.useragent;

import io.viaduct.sip.useragent.UserAgentState.Phase;
import java.util.random.RandomGenerator;

/// The life of something that must be renewed: registration or subscription. Pure state: says when
/// the next request is due; confined to the user agent's thread.
///
/// ```
/// IDLE ─want→ TRYING ─granted→ ACTIVE ─renewal due→ TRYING …
///               └─failed or no answer→ WAITING ─back-off over→ TRYING
/// ```
final class Attempt {
  /// A success that lasted shorter is one more failure (RFC 5626 section 4.5, min-regtime).
  static final long STANDING_MS_MIN = 120_000;

  /// Least time from a grant to its renewal, whatever was granted.
  private static final long RENEWAL_MS_MIN = 500;

  private static final long NEVER = Long.MAX_VALUE;

  private final BackOff backOff;
  private final long timeoutMs;
  private Phase phase = Phase.IDLE;
  private long dueMs; // of the next request, or of the timeout of this one
  private long earliestMs; // renewal, so that nobody is asked all the time
  private long plannedMs; // renewal by what was granted
  private long latestMs = NEVER; // renewal by what came beside the grant
  private long standingSinceMs = NEVER;
  private int generation;

  Attempt(BackOff backOff, long timeoutMs) {
    this.backOff = backOff;
    this.timeoutMs = timeoutMs;
  }

  static Attempt of(UserAgentSettings settings, RandomGenerator random) {
    return new Attempt(
        new BackOff(settings.backOffMax(), random), settings.attemptTimeout().toMillis());
  }

  /// When to renew what was granted: between 70 and 90 % of the time.
  static long renewal(long nowMs, long seconds, RandomGenerator random) {
    return nowMs + (long) (seconds * 1000 * (0.7 + 0.2 * random.nextDouble()));
  }

  Phase phase() {
    return phase;
  }

  /// Wanted, and at once; a request under way is forgotten.
  void want(long nowMs) {
    phase = Phase.WAITING;
    dueMs = nowMs;
    generation++;
    backOff.reset();
    standingSinceMs = NEVER;
  }

  /// Not wanted any more.
  void stop() {
    phase = Phase.IDLE;
    generation++;
  }

  /// Whether a request should be sent now. An unanswered one counts as failed.
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

  /// A request goes out; its answer must name the returned generation.
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
      standingSinceMs = Math.min(standingSinceMs, nowMs);
      phase = Phase.ACTIVE;
      earliestMs = nowMs + RENEWAL_MS_MIN;
      plannedMs = renewAtMs;
      dueMs = renewalMs();
    }
  }

  /// @param atLeastMs the server's Retry-After, or 0
  void failed(int of, long nowMs, long atLeastMs) {
    if (isCurrent(of)) {
      phase = Phase.WAITING;
      dueMs = nowMs + Math.max(pause(nowMs), atLeastMs);
    }
  }

  /// Something else than our request ended it: ask again after a back-off.
  void lost(long nowMs) {
    if (phase != Phase.IDLE) {
      generation++;
      phase = Phase.WAITING;
      dueMs = nowMs + pause(nowMs);
    }
  }

  /// The ground under it has gone: ask again at once, unless it stood for so short a time that
  /// asking at once would be asking all the time.
  void broken(long nowMs) {
    if (phase != Phase.IDLE) {
      boolean stood = stood(nowMs);
      lost(nowMs);
      if (stood) {
        dueMs = nowMs;
      }
    }
  }

  private long pause(long nowMs) {
    if (stood(nowMs)) {
      backOff.reset();
    }
    standingSinceMs = NEVER;
    return backOff.nextMs();
  }

  private boolean stood(long nowMs) {
    return standingSinceMs != NEVER && nowMs - standingSinceMs >= STANDING_MS_MIN;
  }

  /// Renew no later than this, even if more was or will be granted: a token ends before its
  /// subscription, and its NOTIFY may overtake the answer to SUBSCRIBE. A later call replaces it. A
  /// time that is past already is none: of two clocks one is wrong, and the next token would be
  /// like this one.
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
