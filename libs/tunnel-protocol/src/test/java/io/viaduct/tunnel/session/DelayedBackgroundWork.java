package io.viaduct.tunnel.session;

import io.viaduct.tunnel.dictionary.BackgroundWork;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/// Makes the dictionaries of one end ready some time later, as a worker beside a busy loop does.
final class DelayedBackgroundWork implements BackgroundWork {
  /// Mean number of simulation steps until the next dictionary is ready.
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
