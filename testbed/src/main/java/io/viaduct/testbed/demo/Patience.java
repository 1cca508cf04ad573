package io.viaduct.testbed.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Asks a service again while it is being started again.
///
/// @param limit how long, before its last refusal is taken for an answer
public record Patience(Duration limit, LongSupplier nanoTime) {
  private static final long PAUSE_NS = 200_000_000;

  /// A question that a service out of reach answers with an [IOException].
  public interface Question<T> {
    T ask() throws IOException;
  }

  /// The first answer.
  ///
  /// @throws IOException the last one, once the limit has passed
  <T> T until(Question<T> question) throws IOException {
    long end = nanoTime.getAsLong() + limit.toNanos();
    while (true) {
      try {
        return question.ask();
      } catch (IOException e) {
        if (nanoTime.getAsLong() - end > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }
}
