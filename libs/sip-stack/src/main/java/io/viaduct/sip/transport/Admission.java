package io.viaduct.sip.transport;

import java.util.concurrent.atomic.AtomicInteger;

/// Bounds the messages that are processed at the same time. Thread-safe.
///
/// Requests over the limit get 503 while the budget of such answers lasts. Responses may use twice
/// the limit, because they complete work that has begun.
public final class Admission {
  /// Decision about one message.
  public enum Decision {
    ADMIT,
    ANSWER_503,
    DROP
  }

  private final int limit;
  private final int answersPerSecond;
  private final AtomicInteger inProgress = new AtomicInteger();
  private long second;
  private int answered;

  public Admission(int limit, int answersPerSecond) {
    this.limit = limit;
    this.answersPerSecond = answersPerSecond;
  }

  /// Decides about a request. The caller must call [#done] for each admitted message.
  public Decision request(long nowMs) {
    if (inProgress.incrementAndGet() <= limit) {
      return Decision.ADMIT;
    }
    inProgress.decrementAndGet();
    return mayAnswer(nowMs) ? Decision.ANSWER_503 : Decision.DROP;
  }

  /// Decides about a response. The caller must call [#done] for each admitted message.
  public Decision response() {
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
