package io.viaduct.sip.useragent;

import io.viaduct.sip.useragent.UserAgentState.Phase;

/// The life of something that must be renewed: registration or subscription. Pure state: says when
/// the next request is due; confined to the user agent's thread.
///
/// ```
/// IDLE ─want→ TRYING ─granted→ ACTIVE ─renewal due→ TRYING …
///               └─failed or no answer→ WAITING ─back-off over→ TRYING
/// ```
final class Attempt {
  private final BackOff backOff;
  private final long timeoutMs;
  private Phase phase = Phase.IDLE;
  private long dueMs; // of the next request, or of the timeout of this one
  private long plannedMs; // renewal by what was granted
  private long latestMs = Long.MAX_VALUE; // renewal by what came beside the grant
  private int generation;

  Attempt(BackOff backOff, long timeoutMs) {
    this.backOff = backOff;
    this.timeoutMs = timeoutMs;
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
    latestMs = Long.MAX_VALUE;
    return ++generation;
  }

  boolean isCurrent(int of) {
    return of == generation && phase == Phase.TRYING;
  }

  void granted(int of, long renewAtMs) {
    if (isCurrent(of)) {
      phase = Phase.ACTIVE;
      plannedMs = renewAtMs;
      dueMs = Math.min(plannedMs, latestMs);
      backOff.reset();
    }
  }

  /// @param atLeastMs the server's Retry-After, or 0
  void failed(int of, long nowMs, long atLeastMs) {
    if (isCurrent(of)) {
      phase = Phase.WAITING;
      dueMs = nowMs + Math.max(backOff.nextMs(), atLeastMs);
    }
  }

  /// Something else than our request ended it: ask again after a back-off.
  void lost(long nowMs) {
    if (phase != Phase.IDLE) {
      generation++;
      phase = Phase.WAITING;
      dueMs = nowMs + backOff.nextMs();
    }
  }

  /// Renew no later than this, even if more was or will be granted: a token ends before its
  /// subscription, and its NOTIFY may overtake the answer to SUBSCRIBE. A later call replaces it.
  void renewBy(long atMs) {
    latestMs = atMs;
    if (phase == Phase.ACTIVE) {
      dueMs = Math.min(plannedMs, latestMs);
    }
  }
}
