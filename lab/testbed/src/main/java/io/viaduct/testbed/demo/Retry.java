package io.viaduct.testbed.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Repeats a request while a service restarts.
///
/// @param limit time after which the last failure is thrown
public record Retry(Duration limit, LongSupplier nanoTime) {
  private static final long PAUSE_NS = 200_000_000;

  /// A request that throws [IOException] while the service cannot be reached.
  public interface Question<T> {
    T ask() throws IOException;
  }

  /// Returns the first answer.
  ///
  /// @throws IOException the last failure, once the limit has passed
  public <T> T until(Question<T> question) throws IOException {
    long endNs = nanoTime.getAsLong() + limit.toNanos();
    while (true) {
      try {
        return question.ask();
      } catch (IOException e) {
        if (nanoTime.getAsLong() - endNs > 0) {
          throw e;
        }
      }
      LockSupport.parkNanos(PAUSE_NS);
    }
  }
}
