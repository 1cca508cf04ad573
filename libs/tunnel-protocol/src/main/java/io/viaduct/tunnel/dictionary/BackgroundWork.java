package io.viaduct.tunnel.dictionary;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/// Runs work that is too slow for an event loop: making dictionaries, 0.2 … 30 ms. The tunnel
/// starts no thread itself; its user may start a [DictionaryWorker].
public interface BackgroundWork {
  /// Runs the work at once on the caller's thread: for tests and tools.
  BackgroundWork INLINE =
      (work, done) -> {
        work.run();
        done.run();
      };

  /// Runs the work on threads of the caller.
  ///
  /// @param worker may refuse work; then no new epoch is made
  /// @param loop the event loop
  static BackgroundWork on(Executor worker, Executor loop) {
    return (work, done) -> {
      try {
        worker.execute(() -> {
          try {
            work.run();
          } finally {
            loop.execute(done);
          }
        });
      } catch (RejectedExecutionException e) {
        done.run();
      }
    };
  }

  /// Runs work, then `done`.
  ///
  /// @param work code that uses no state of the event loop
  /// @param done code that runs on the event loop afterwards, in any case
  void run(Runnable work, Runnable done);
}
