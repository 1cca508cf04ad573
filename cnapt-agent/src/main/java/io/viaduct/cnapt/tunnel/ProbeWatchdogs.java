package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.terms.TunnelLimits;
import java.util.function.IntConsumer;

/// The watchdogs of all paths of a peer that listens ([ProbeWatchdog]). Owner: the data path's
/// event loop.
final class ProbeWatchdogs {
  private final long silenceNs;
  private final ProbeWatchdog[] all = new ProbeWatchdog[TunnelLimits.PATHS_MAX];
  private volatile long fired; // written by the event loop

  /// @param silenceNs time without a probe after which a path is left
  ProbeWatchdogs(long silenceNs, long nowNs) {
    this.silenceNs = silenceNs;
    begin(nowNs);
  }

  /// Starts anew with a session, whose paths are all unknown.
  void begin(long nowNs) {
    for (int i = 0; i < all.length; i++) {
      all[i] = new ProbeWatchdog(silenceNs, nowNs);
    }
  }

  ProbeWatchdog of(int path) {
    return all[path];
  }

  long silenceNs() {
    return silenceNs;
  }

  /// Handles what is due.
  ///
  /// @param stopped called with the id of each path whose probes have stopped just now
  /// @return whether there was one
  boolean tick(long nowNs, IntConsumer stopped) {
    boolean any = false;
    for (int id = 0; id < all.length; id++) {
      if (all[id].takeSilence(nowNs)) {
        fired++;
        any = true;
        stopped.accept(id);
      }
    }
    return any;
  }

  /// Returns the time at which something changes without a probe.
  long dueNs(long nowNs) {
    long due = Long.MAX_VALUE;
    for (ProbeWatchdog each : all) {
      due = Math.min(due, each.dueNs(nowNs));
    }
    return due;
  }

  /// Returns the end of the first hold time that lies ahead, Long.MAX_VALUE without one.
  long heldUntilNs(long nowNs) {
    long until = Long.MAX_VALUE;
    for (ProbeWatchdog each : all) {
      until = Math.min(until, each.heldUntilNs(nowNs));
    }
    return until;
  }

  /// Returns whether probes come by no path.
  boolean isSearching() {
    for (ProbeWatchdog each : all) {
      if (each.isKnown() && !each.isFired()) {
        return false;
      }
    }
    return true;
  }

  /// Returns whether probes come by no path any more.
  boolean isDead() {
    boolean anyFired = false;
    for (ProbeWatchdog each : all) {
      anyFired |= each.isFired();
    }
    return anyFired && isSearching();
  }

  /// Returns how often the probes of a path have stopped. Any thread may call this.
  long fired() {
    return fired;
  }
}
