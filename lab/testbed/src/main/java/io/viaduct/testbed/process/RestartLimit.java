package io.viaduct.testbed.process;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/// Limits the restarts in a time window, so that a service that cannot run is not started without
/// end. For one thread.
public final class RestartLimit {
  private final int restarts;
  private final long windowNs;
  private final Deque<Long> spent = new ArrayDeque<>();

  /// Makes a limit.
  ///
  /// @param restarts most restarts within any `window`
  public RestartLimit(int restarts, Duration window) {
    this.restarts = restarts;
    this.windowNs = window.toNanos();
  }

  /// Takes one restart and returns true, or returns false if none is left.
  public boolean spend(long nowNs) {
    while (!spent.isEmpty() && nowNs - spent.getFirst() >= windowNs) {
      spent.removeFirst();
    }
    if (spent.size() == restarts) {
      return false;
    }
    spent.addLast(nowNs);
    return true;
  }

  @Override
  public String toString() {
    return "%d restarts in %d s".formatted(restarts, windowNs / 1_000_000_000);
  }
}
