package io.viaduct.tunnel.metering;

import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.flow.FlowState;
import org.jspecify.annotations.Nullable;

/// Decides when the agent reports its counters to the SNAPT, with FLOW_STATS for each flow that has
/// changed. A report is due one second after the change, or five seconds for a slow flow.
/// FLOW_STATS travel with the next packet. They travel alone only if no packet has come for another
/// second. A flow that has waited for its path tells the time in a record beside them.
public final class FlowStatsSchedule {
  static final long SPACING_NS = 1_000_000_000L;
  static final long SLOW_SPACING_NS = 5_000_000_000L;
  static final long ALONE_NS = 1_000_000_000L;

  /// Gap that makes a flow slow: it did not change for so long after its last report.
  private static final long SLOW_GAP_NS = 20_000_000;

  private final boolean active;
  private final ControlQueue controls;
  private @Nullable FlowWaits waits;
  private final DueQueue normal = new DueQueue();
  private final DueQueue slow = new DueQueue();

  public FlowStatsSchedule(boolean active, ControlQueue controls) {
    this.active = active;
    this.controls = controls;
  }

  /// Knows for how long a flow has waited for its path.
  public interface FlowWaits {
    /// Returns the time in ns since the flow opened.
    long waitedNs(FlowState flow, long nowNs);
  }

  /// Lets each report tell the peer for how long the flow has waited.
  public void tell(FlowWaits known) {
    waits = known;
  }

  /// Queue of flows in the order of their due times. The flows themselves hold the links.
  private static final class DueQueue {
    private @Nullable FlowState head;
    private @Nullable FlowState tail;

    void append(FlowState flow, long dueNs) {
      flow.statsDue(true, dueNs);
      FlowState last = tail;
      if (last == null) {
        head = flow;
      } else {
        last.statsNext(flow);
      }
      tail = flow;
    }

    void removeFirst(FlowState first, long nowNs) {
      head = first.statsNext();
      if (head == null) {
        tail = null;
      }
      first.statsDue(false, nowNs);
    }

    long dueNs() {
      FlowState first = head;
      return first == null ? Long.MAX_VALUE : first.statsDueNs();
    }
  }

  public void changed(FlowState flow, long nowNs) {
    if (!active || flow.isStatsDue() || flow.hasEnded()) {
      return;
    }
    long reportedNs = flow.statsDueNs(); // 0 before the first time
    if (reportedNs != 0 && nowNs - reportedNs > SLOW_GAP_NS) {
      slow.append(flow, nowNs + SLOW_SPACING_NS);
    } else {
      normal.append(flow, nowNs + SPACING_NS);
    }
  }

  /// Returns the time at which [#queueOverdue] must be called, Long.MAX_VALUE for never.
  public long dueNs() {
    long due = Math.min(normal.dueNs(), slow.dueNs());
    return due == Long.MAX_VALUE ? due : due + ALONE_NS;
  }

  /// Queues the due reports, because a packet leaves soon and carries them.
  public void queueDue(long nowNs) {
    queue(normal, nowNs);
    queue(slow, nowNs);
  }

  /// Queues the due reports if no packet has come to carry them.
  public void queueOverdue(long nowNs) {
    if (nowNs >= dueNs()) {
      queueDue(nowNs);
    }
  }

  /// Queues all reports at once, because the session ends.
  ///
  /// @return true if the control queue had no room for all; then the caller empties it and calls
  ///   again
  public boolean queueAll(long nowNs) {
    queue(normal, Long.MAX_VALUE, nowNs);
    queue(slow, Long.MAX_VALUE, nowNs);
    return normal.head != null || slow.head != null;
  }

  private void queue(DueQueue line, long nowNs) {
    queue(line, nowNs, nowNs);
  }

  /// Queues reports as long as the control queue has room. The rest follows with the next call.
  private void queue(DueQueue line, long dueUpToNs, long nowNs) {
    for (FlowState flow = line.head; flow != null; flow = line.head) {
      if (!flow.hasEnded() && (dueUpToNs < flow.statsDueNs() || !report(flow, nowNs))) {
        return;
      }
      line.removeFirst(flow, nowNs);
    }
  }

  /// Queues the last report of a flow that ends.
  public void queueFinal(FlowState flow, long nowNs) {
    if (active) {
      report(flow, nowNs);
    }
  }

  // Times first: if only they fit, both follow with the next call.
  private boolean report(FlowState flow, long nowNs) {
    long waitedUs = waits == null ? 0 : waits.waitedNs(flow, nowNs) / 1000;
    return (waitedUs == 0 || controls.flowWaited(flow.id(), waitedUs, nowNs))
        && controls.flowStats(flow.id(), flow.sent(), flow.received(), nowNs);
  }
}
