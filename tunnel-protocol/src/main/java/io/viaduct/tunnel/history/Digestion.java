package io.viaduct.tunnel.history;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/// Where work is done that is too slow for an event loop: making dictionaries, 0.2 … 30 ms. The
/// tunnel starts no thread itself; who runs it may start [DictionaryWorker].
public interface Digestion {
  /// At once, on the caller's thread: for tests and tools.
  Digestion INLINE =
      (work, done) -> {
        work.run();
        done.run();
      };

  /// With threads of the shell's.
  ///
  /// @param worker may refuse: there is no new epoch then
  /// @param loop the event loop
  static Digestion on(Executor worker, Executor loop) {
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

  /// @param work touches nothing that the event loop owns
  /// @param done runs on the event loop afterwards, in any case
  void run(Runnable work, Runnable done);
}
