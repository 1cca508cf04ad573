package io.viaduct.snapt.relay;

import io.viaduct.snapt.metering.IntervalUsage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// Checkpoints the open intervals of one loop's sessions. Every 50 ms, it passes the changed flows
/// to the listener; the session that has waited longest comes first. An idle session costs nothing.
/// Owned by the loop.
///
/// Two rules bound the work. One checkpoint takes at most 2 ms (4 % of the loop's time). No
/// checkpoint starts before the listener has taken the last one. Sessions that must wait are
/// counted, and the next checkpoint begins with them.
final class Progress {
  static final long WORK_NS_MAX = 2_000_000;

  private final Relay relay;
  private final TrafficCounters counters;
  private final ArrayDeque<RelayedSession> moved = new ArrayDeque<>();
  // The loop sets it before it calls the listener. The listener's thread clears it when it has
  // taken the changes.
  private volatile boolean given;

  Progress(Relay relay, TrafficCounters counters) {
    this.relay = relay;
    this.counters = counters;
  }

  /// Marks a session for the next checkpoint, because its traffic may have changed.
  void onMoved(RelayedSession session) {
    if (!session.changed) {
      session.changed = true;
      moved.add(session);
    }
  }

  /// Passes the changes to the listener. The loop calls this every 50 ms.
  void tell() {
    if (given) {
      counters.countLate(moved.size());
      return;
    }
    long beginNs = relay.nowNs();
    long nowNs = beginNs;
    List<IntervalUsage> changes = new ArrayList<>();
    while (!moved.isEmpty() && nowNs - beginNs < WORK_NS_MAX) {
      RelayedSession session = moved.poll();
      session.changed = false;
      IntervalUsage usage = session.place < 0 ? null : session.changes(nowNs);
      if (usage != null) {
        changes.add(usage);
      }
      nowNs = relay.nowNs();
    }
    counters.countLate(moved.size());
    if (!changes.isEmpty()) {
      given = true;
      relay.onProgress(changes, () -> given = false);
    }
  }
}
