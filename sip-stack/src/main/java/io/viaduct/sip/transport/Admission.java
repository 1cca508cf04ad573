package io.viaduct.sip.transport;

import java.util.concurrent.atomic.AtomicInteger;

/// Bounds the messages under way. Thread-safe.
///
/// Requests over the limit get 503 as long as the budget of such answers lasts; responses finish
/// work that is under way and may go to twice the limit.
public final class Admission {
  /// May the message go on?
  public enum Decision {
    ADMIT,
    ANSWER_503,
    DROP
  }

  private final int limit;
  private final int answersPerSecond;
  private final AtomicInteger underWay = new AtomicInteger();
  private long second;
  private int answered;

  public Admission(int limit, int answersPerSecond) {
    this.limit = limit;
    this.answersPerSecond = answersPerSecond;
  }

  /// Decides about a request; an admitted message must be [#done].
  public Decision request(long nowMs) {
    if (underWay.incrementAndGet() <= limit) {
      return Decision.ADMIT;
    }
    underWay.decrementAndGet();
    return mayAnswer(nowMs) ? Decision.ANSWER_503 : Decision.DROP;
  }

  /// Decides about a response.
  public Decision response() {
    if (underWay.incrementAndGet() <= 2 * limit) {
      return Decision.ADMIT;
    }
    underWay.decrementAndGet();
    return Decision.DROP;
  }

  /// An admitted message has been processed.
  public void done() {
    underWay.decrementAndGet();
  }

  public int underWay() {
    return underWay.get();
  }

  /// Whether an answer to a refused message is within the budget; shared by all refusals, so that
  /// bad input cannot make us a source of traffic.
  public synchronized boolean mayAnswer(long nowMs) {
    long now = Math.floorDiv(nowMs, 1000);
    if (now != second) {
      second = now;
      answered = 0;
    }
    return answered++ < answersPerSecond;
  }
}
