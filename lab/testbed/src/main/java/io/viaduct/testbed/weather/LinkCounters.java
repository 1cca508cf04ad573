package io.viaduct.testbed.weather;

import java.util.concurrent.atomic.AtomicLongArray;

/// Counts of one direction. The direction's thread writes; any thread reads.
public final class LinkCounters {
  private static final int FATES = Fate.values().length;

  private final AtomicLongArray counts = new AtomicLongArray(FATES);

  void count(Fate fate) {
    add(fate, 1);
  }

  // One writer, so no atomic addition is needed.
  void add(Fate fate, long amount) {
    counts.setRelease(fate.ordinal(), counts.getPlain(fate.ordinal()) + amount);
  }

  public long get(Fate fate) {
    return counts.getAcquire(fate.ordinal());
  }
}
