package io.viaduct.sip.transport;

import java.util.concurrent.atomic.AtomicInteger;

/// Bounds the messages that are processed at the same time, and the time that they wait.
/// Thread-safe.
///
/// A request that begins something is refused over the limit, and while messages wait longer than
/// [#WAIT_MS_MAX] for their thread: an answer after T1 (500 ms) only brings retransmissions. It
/// gets 503 while the budget of such answers lasts. What completes work that has begun may use
/// twice the limit: responses, and requests inside a dialog.
public final class Admission {
  /// Decision about one message.
  public enum Decision {
    ADMIT,
    ANSWER_503,
    DROP
  }

  /// Longest mean wait for a thread at which new work is taken.
  static final double WAIT_MS_MAX = 50;

  /// Fewer messages than these are no queue, however long the last ones waited.
  private static final int QUEUE_MIN = 32;

  /// A wait that was measured longer ago than this says nothing about the present.
  private static final long WAIT_VALID_MS = 1_000;

  private static final double WAIT_WEIGHT = 1.0 / 16;

  private final int limit;
  private final int answersPerSecond;
  private final AtomicInteger inProgress = new AtomicInteger();
  private volatile Wait wait = new Wait(0, 0);
  private long second;
  private int answered;

  private record Wait(double meanMs, long measuredMs) {}

  public Admission(int limit, int answersPerSecond) {
    this.limit = limit;
    this.answersPerSecond = answersPerSecond;
  }

  /// Decides about a request. The caller must call [#done] for each admitted message.
  ///
  /// @param begins false for a request that completes work that has begun
  public Decision request(boolean begins, long nowMs) {
    int now = inProgress.incrementAndGet();
    if (begins ? now <= limit && !isLate(now, nowMs) : now <= 2 * limit) {
      return Decision.ADMIT;
    }
    inProgress.decrementAndGet();
    return mayAnswer(nowMs) ? Decision.ANSWER_503 : Decision.DROP;
  }

  private boolean isLate(int queue, long nowMs) {
    Wait last = wait;
    return queue >= QUEUE_MIN
        && last.meanMs > WAIT_MS_MAX
        && nowMs - last.measuredMs < WAIT_VALID_MS;
  }

  /// Records how long an admitted message has waited for its thread. Of two threads that record at
  /// once one may be lost: the mean is an estimate.
  public void waited(long waitMs, long nowMs) {
    double before = wait.meanMs;
    wait = new Wait(before + (waitMs - before) * WAIT_WEIGHT, nowMs);
  }

  /// Decides about a response or an ACK, to which nothing is answered. The caller must call [#done]
  /// for each admitted message.
  ///
  /// @return to admit or to drop it
  public Decision unanswered() {
    if (inProgress.incrementAndGet() <= 2 * limit) {
      return Decision.ADMIT;
    }
    inProgress.decrementAndGet();
    return Decision.DROP;
  }

  /// Ends the processing of an admitted message.
  public void done() {
    inProgress.decrementAndGet();
  }

  /// Takes one answer to a refused message from the budget. All refusals share the budget, so that
  /// bad input cannot make this host a source of traffic.
  ///
  /// @return false if the budget of this second is used up
  public synchronized boolean mayAnswer(long nowMs) {
    long nowSecond = Math.floorDiv(nowMs, 1000);
    if (nowSecond != second) {
      second = nowSecond;
      answered = 0;
    }
    return answered++ < answersPerSecond;
  }
}
