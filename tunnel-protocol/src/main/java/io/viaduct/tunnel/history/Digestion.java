package io.viaduct.tunnel.history;

/// Where work is done that is too slow for an event loop: making dictionaries, 0.2 … 30 ms. The
/// tunnel starts no thread itself.
public interface Digestion {
  /// At once, on the caller's thread: for tests and tools.
  Digestion INLINE =
      (work, done) -> {
        work.run();
        done.run();
      };

  /// @param work touches nothing that the event loop owns
  /// @param done runs on the event loop afterwards, in any case
  void run(Runnable work, Runnable done);
}
