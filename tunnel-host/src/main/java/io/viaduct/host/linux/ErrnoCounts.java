package io.viaduct.host.linux;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/// How often the kernel refused something, by its reason. Written by the owner's event loop on the
/// failure path only, read by anybody.
public final class ErrnoCounts {
  private final AtomicLongArray counts = new AtomicLongArray(Errno.values().length);

  /// Counts a failed call's result, which is below zero.
  public void count(int result) {
    counts.getAndIncrement(Errno.of(result).ordinal());
  }

  /// How often so far.
  public long of(Errno errno) {
    return counts.get(errno.ordinal());
  }

  /// All together.
  public long total() {
    long total = 0;
    for (int i = 0; i < counts.length(); i++) {
      total += counts.get(i);
    }
    return total;
  }

  /// Those that happened, for a status page.
  public Map<String, Long> nonZero() {
    Map<String, Long> map = new TreeMap<>();
    for (Errno errno : Errno.values()) {
      if (of(errno) > 0) {
        map.put(errno.name(), of(errno));
      }
    }
    return map;
  }
}
