package io.viaduct.tunnel.session;

import io.viaduct.tunnel.history.Digestion;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/// Dictionaries of one end that become ready some time later, as a worker makes them beside a busy
/// loop.
final class LateDigestion implements Digestion {
  /// Of the steps of a simulation; one more is ready in each of so many.
  private static final int STEPS = 12;

  private final Deque<Runnable> waiting = new ArrayDeque<>();

  @Override
  public void run(Runnable work, Runnable done) {
    waiting.add(() -> {
      work.run();
      done.run();
    });
  }

  boolean isWorking() {
    return !waiting.isEmpty();
  }

  void some(SplittableRandom random) {
    while (isWorking() && random.nextInt(STEPS) == 0) {
      waiting.remove().run();
    }
  }

  void all() {
    while (isWorking()) {
      waiting.remove().run();
    }
  }
}
