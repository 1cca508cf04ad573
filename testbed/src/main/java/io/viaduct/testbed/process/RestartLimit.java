package io.viaduct.testbed.process;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/// So many restarts within so long, and no more: a service that cannot run must not be started for
/// ever. For one thread.
public final class RestartLimit {
  private final int restarts;
  private final long windowNs;
  private final Deque<Long> spent = new ArrayDeque<>();

  /// @param restarts at most, within any `window`
  public RestartLimit(int restarts, Duration window) {
    this.restarts = restarts;
    this.windowNs = window.toNanos();
  }

  /// Takes one restart, if one is left.
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
