package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.flow.FlowState;
import org.jspecify.annotations.Nullable;

/// When the agent tells the SNAPT what it has counted: FLOW_STATS for each flow that changed, one
/// second after the change, five for a slow flow, of whose bytes they would be many. They ride with
/// the next packet, and go alone only when none has come for another second.
final class FlowStatsSchedule {
  static final long SPACING_NS = 1_000_000_000L;
  static final long SLOW_SPACING_NS = 5_000_000_000L;
  static final long ALONE_NS = 1_000_000_000L;

  /// A flow is slow that did not change for so long after it was told of.
  private static final long SLOW_GAP_NS = 20_000_000;

  private final boolean active;
  private final ControlQueue controls;
  private final Line usual = new Line();
  private final Line slow = new Line();

  FlowStatsSchedule(boolean active, ControlQueue controls) {
    this.active = active;
    this.controls = controls;
  }

  /// Flows that are due, in that order; they stand in it through themselves.
  private static final class Line {
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

  void changed(FlowState flow, long nowNs) {
    if (!active || flow.statsDue() || flow.hasEnded()) {
      return;
    }
    long toldNs = flow.statsDueNs(); // 0 before the first time
    if (toldNs != 0 && nowNs - toldNs > SLOW_GAP_NS) {
      slow.append(flow, nowNs + SLOW_SPACING_NS);
    } else {
      usual.append(flow, nowNs + SPACING_NS);
    }
  }

  /// When [#run] wants to be called, Long.MAX_VALUE for never.
  long dueNs() {
    long due = Math.min(usual.dueNs(), slow.dueNs());
    return due == Long.MAX_VALUE ? due : due + ALONE_NS;
  }

  /// A packet leaves soon: what is due rides with it.
  void ride(long nowNs) {
    tell(usual, nowNs);
    tell(slow, nowNs);
  }

  /// Nothing has come to ride with.
  void run(long nowNs) {
    if (nowNs >= dueNs()) {
      ride(nowNs);
    }
  }

  /// The session ends: nothing waits for its time.
  ///
  /// @return whether the control queue had no room for all: to be called again once it has
  boolean tellAll(long nowNs) {
    tell(usual, Long.MAX_VALUE, nowNs);
    tell(slow, Long.MAX_VALUE, nowNs);
    return usual.head != null || slow.head != null;
  }

  private void tell(Line line, long nowNs) {
    tell(line, nowNs, nowNs);
  }

  /// As long as the control queue has room; the rest follows with the next call.
  private void tell(Line line, long dueUpToNs, long nowNs) {
    for (FlowState flow = line.head; flow != null; flow = line.head) {
      if (!flow.hasEnded()
          && (dueUpToNs < flow.statsDueNs()
              || !controls.flowStats(flow.id(), flow.sent(), flow.received(), nowNs))) {
        return;
      }
      line.removeFirst(flow, nowNs);
    }
  }

  /// The last word on a flow that ends.
  void last(FlowState flow, long nowNs) {
    if (active) {
      controls.flowStats(flow.id(), flow.sent(), flow.received(), nowNs);
    }
  }
}
