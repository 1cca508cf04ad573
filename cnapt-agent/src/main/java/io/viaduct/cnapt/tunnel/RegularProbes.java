package io.viaduct.cnapt.tunnel;

import org.jspecify.annotations.Nullable;

/// Decides when a peer that dials probes all its paths: each probe tells the other end what was
/// measured, and that the path is there. A device needs none. Owner: the data path's event loop.
final class RegularProbes {
  private final @Nullable Measuring measuring;
  private long probedNs;

  /// @param measuring null for none
  RegularProbes(@Nullable Measuring measuring) {
    this.measuring = measuring;
  }

  /// Returns whether all paths must be probed now; the caller does it.
  boolean takeDue(long nowNs) {
    if (measuring == null || nowNs < dueNs()) {
      return false;
    }
    probedNs = nowNs;
    return true;
  }

  /// Returns whether the last answer is so old that traffic must leave the path.
  boolean isOverdue(long answeredNs, long nowNs) {
    return measuring != null && nowNs - answeredNs > measuring.silence().toNanos();
  }

  /// Returns the time of the next [#takeDue], Long.MAX_VALUE for never.
  long dueNs() {
    return measuring == null ? Long.MAX_VALUE : probedNs + measuring.probe().toNanos();
  }
}
