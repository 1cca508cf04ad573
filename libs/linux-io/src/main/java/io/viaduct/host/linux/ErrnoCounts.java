package io.viaduct.host.linux;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;

/// Counts the kernel's refusals by error. Only the owner's event loop writes, and only when a call
/// fails; any thread may read.
public final class ErrnoCounts {
  private final AtomicLongArray counts = new AtomicLongArray(Errno.values().length);

  /// Counts the result of a failed call, which is below zero.
  public void count(int result) {
    counts.getAndIncrement(Errno.of(result).ordinal());
  }

  /// Returns the count of an error.
  public long of(Errno errno) {
    return counts.get(errno.ordinal());
  }

  /// Returns the sum of all counts.
  public long total() {
    long total = 0;
    for (int i = 0; i < counts.length(); i++) {
      total += counts.get(i);
    }
    return total;
  }

  /// Returns the counts that are not zero, for a status page.
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
