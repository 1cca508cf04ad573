package io.viaduct.cnapt.tunnel;

import java.util.concurrent.TimeUnit;

/// Runs a task at the earliest of the deadlines that are set, and tells the loop's memory how late
/// it is. Owner: the data path's event loop.
final class DeadlineTimer {
  private static final long UNARMED = Long.MAX_VALUE;

  private final DataLoop at;
  private final Runnable task;
  private long armedNs = UNARMED;

  /// @param task sets the next deadline
  DeadlineTimer(DataLoop at, Runnable task) {
    this.at = at;
    this.task = task;
  }

  /// Sets a deadline. An earlier one stays, and the task is run for that one first.
  void arm(long dueNs, long nowNs) {
    if (dueNs < armedNs) {
      armedNs = dueNs;
      at.loop().schedule(() -> fired(dueNs), Math.max(0, dueNs - nowNs), TimeUnit.NANOSECONDS);
    }
  }

  private void fired(long dueNs) {
    if (dueNs == armedNs) { // not if an earlier deadline was set afterwards
      armedNs = UNARMED;
      at.memory().timerLateness().fired(at.nowNs() - dueNs);
      task.run();
    }
  }
}
