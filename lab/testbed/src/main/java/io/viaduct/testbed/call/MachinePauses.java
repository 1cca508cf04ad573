package io.viaduct.testbed.call;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Measures for how long this machine lets a thread wait that wants to run: what is measured
/// meanwhile is no better than that. Has a thread of its own until it is closed.
public final class MachinePauses implements AutoCloseable {
  private static final long STEP_NS = 1_000_000;

  private volatile boolean open = true;
  private volatile long longestNs;

  private MachinePauses() {}

  /// Starts to measure.
  public static MachinePauses watch(LongSupplier nanoTime) {
    var pauses = new MachinePauses();
    Thread.ofPlatform().daemon().name("machine-pauses").start(() -> pauses.measure(nanoTime));
    return pauses;
  }

  private void measure(LongSupplier nanoTime) {
    long lastNs = nanoTime.getAsLong();
    while (open) {
      LockSupport.parkNanos(STEP_NS);
      long nowNs = nanoTime.getAsLong();
      longestNs = Math.max(longestNs, nowNs - lastNs - STEP_NS);
      lastNs = nowNs;
    }
  }

  /// Returns the longest pause since the start, in milliseconds.
  public double longestMs() {
    return longestNs / 1e6;
  }

  @Override
  public void close() {
    open = false;
  }
}
