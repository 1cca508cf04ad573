package io.viaduct.diameter.peer;

import java.util.List;
import java.util.random.RandomGenerator;

/// The watchdog of one peer (RFC 3539 section 3.4.1). It knows whether the peer may be given
/// requests. Times are monotonic milliseconds.
final class Watchdog {
  /// States of the RFC.
  enum State {
    INITIAL,
    OKAY,
    SUSPECT,
    DOWN,
    REOPEN
  }

  /// Actions of the RFC.
  enum Action {
    SEND_WATCHDOG,
    FAIL_OVER,
    FAIL_BACK,
    CLOSE_CONNECTION,
    ATTEMPT_OPEN
  }

  private static final int JITTER_MS = 2_000;
  private static final int ANSWERS_TO_REOPEN = 3;

  private final long intervalMs;
  private final RandomGenerator random;
  private State state = State.INITIAL;
  private boolean pending;
  // Answers since the connection came back; −1: one interval passed without an answer.
  private int answers;
  private long expiresMs;

  /// @param intervalMs Tw without its random part of up to 2 s more or less; the RFC asks for 6 s
  ///   or more
  Watchdog(long intervalMs, RandomGenerator random, long nowMs) {
    this.intervalMs = intervalMs;
    this.random = random;
    set(nowMs);
  }

  State state() {
    return state;
  }

  private void set(long nowMs) {
    // A short interval, which only tests have, gets a smaller random part.
    long jitter = Math.min(JITTER_MS, intervalMs / 4);
    expiresMs = nowMs + intervalMs + random.nextLong(-jitter, jitter + 1);
  }

  /// The capabilities exchange has succeeded.
  List<Action> connected(long nowMs) {
    boolean isFirst = state == State.INITIAL;
    set(nowMs);
    if (isFirst) {
      pending = false;
      state = State.OKAY;
      return List.of();
    }
    answers = 0;
    pending = true;
    state = State.REOPEN;
    return List.of(Action.SEND_WATCHDOG);
  }

  /// The connection has ended.
  List<Action> disconnected(long nowMs) {
    State before = state;
    if (before == State.INITIAL || before == State.DOWN) {
      return List.of();
    }
    set(nowMs);
    pending = false;
    state = State.DOWN;
    // Also after SUSPECT and REOPEN: a request may have been sent meanwhile.
    return List.of(Action.FAIL_OVER);
  }

  /// A message has arrived.
  ///
  /// @param isAnswer true for a DWA
  List<Action> received(boolean isAnswer, long nowMs) {
    if (isAnswer) {
      pending = false;
    }
    return switch (state) {
      case OKAY -> {
        set(nowMs);
        yield List.of();
      }
      case SUSPECT -> {
        set(nowMs);
        state = State.OKAY;
        yield List.of(Action.FAIL_BACK);
      }
      case REOPEN -> isAnswer ? reopenAnswer() : List.of();
      case INITIAL, DOWN -> List.of();
    };
  }

  private List<Action> reopenAnswer() {
    answers = Math.max(0, answers) + 1;
    if (answers < ANSWERS_TO_REOPEN) {
      return List.of();
    }
    state = State.OKAY;
    return List.of(Action.FAIL_BACK);
  }

  /// Returns what to do now.
  List<Action> tick(long nowMs) {
    if (nowMs - expiresMs < 0) {
      return List.of();
    }
    set(nowMs);
    return switch (state) {
      case INITIAL, DOWN -> List.of(Action.ATTEMPT_OPEN);
      case OKAY -> {
        if (pending) {
          state = State.SUSPECT;
          yield List.of(Action.FAIL_OVER);
        }
        pending = true;
        yield List.of(Action.SEND_WATCHDOG);
      }
      case SUSPECT -> down();
      case REOPEN -> reopenExpired();
    };
  }

  private List<Action> reopenExpired() {
    if (!pending) {
      pending = true;
      return List.of(Action.SEND_WATCHDOG);
    }
    if (answers < 0) {
      return down();
    }
    answers = -1;
    return List.of();
  }

  private List<Action> down() {
    state = State.DOWN;
    pending = false;
    return List.of(Action.CLOSE_CONNECTION, Action.FAIL_OVER);
  }
}
