package io.viaduct.snapt.relay;

import io.viaduct.snapt.metering.IntervalUsage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/// The sessions of one loop that have moved, and are to be checkpointed: every 50 ms what changed
/// in their open intervals goes to the listener, the session that waits longest first. A session
/// that rests costs nothing. Owned by the loop.
///
/// Two things bound it: 2 ms of work at a time (4 % of the loop), and nothing is given while the
/// last changes are not taken. What had to wait is counted and comes next.
final class Progress {
  static final long WORK_NS_MAX = 2_000_000;

  private final Relay relay;
  private final TrafficCounters counters;
  private final ArrayDeque<RelayedSession> moved = new ArrayDeque<>();
  // Written by the loop before it gives, by the listener's thread when it has taken.
  private volatile boolean given;

  Progress(Relay relay, TrafficCounters counters) {
    this.relay = relay;
    this.counters = counters;
  }

  /// Something was received, or may have been sent.
  void onMoved(RelayedSession session) {
    if (!session.changed) {
      session.changed = true;
      moved.add(session);
    }
  }

  /// Every 50 ms.
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
