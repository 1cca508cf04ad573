package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.PathStatus;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The status of each path as other threads see it: at most a second old while packets are carried.
/// The data path's event loop renews it.
final class PublishedPaths {
  private static final long PERIOD_NS = 1_000_000_000;

  private final LongFunction<List<PathStatus>> present;
  private volatile List<PathStatus> published = List.of(); // written by the event loop
  private long renewedNs;

  /// @param present returns the status of each path at a time
  PublishedPaths(LongFunction<List<PathStatus>> present) {
    this.present = present;
  }

  /// Renews the status if it is old.
  void renew(long nowNs) {
    if (nowNs - renewedNs >= PERIOD_NS) {
      renewedNs = nowNs;
      published = present.apply(nowNs);
    }
  }

  /// Returns the time at which the status is old.
  long dueNs() {
    return renewedNs + PERIOD_NS;
  }

  /// Returns the status of a path; null if it does not exist. Any thread may call this.
  @Nullable PathStatus of(int id) {
    for (PathStatus each : published) {
      if (each.id() == id) {
        return each;
      }
    }
    return null;
  }
}
