package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.flow.FlowState;
import org.jspecify.annotations.Nullable;

/// When the agent tells the SNAPT what it has counted: FLOW_STATS for each flow that changed, one
/// second after the change. Changed flows stand in a list through themselves, in the order in which
/// they are due.
final class FlowStatsSchedule {
  static final long SPACING_NS = 1_000_000_000L;
  private final boolean active;
  private final ControlQueue controls;
  private @Nullable FlowState head;
  private @Nullable FlowState tail;

  FlowStatsSchedule(boolean active, ControlQueue controls) {
    this.active = active;
    this.controls = controls;
  }

  void changed(FlowState flow, long nowNs) {
    if (!active || flow.statsDue() || flow.hasEnded()) {
      return;
    }
    flow.statsDue(true, nowNs + SPACING_NS);
    FlowState last = tail;
    if (last == null) {
      head = flow;
    } else {
      last.statsNext(flow);
    }
    tail = flow;
  }

  long dueNs() {
    FlowState first = head;
    return first == null ? Long.MAX_VALUE : first.statsDueNs();
  }

  /// Sends what is due, as long as the control queue has room; the rest follows with the next tick.
  void run(long nowNs) {
    for (FlowState flow = head; flow != null; flow = head) {
      if (flow.hasEnded()) {
        remove(flow);
        continue;
      }
      if (nowNs < flow.statsDueNs()
          || !controls.flowStats(flow.id(), flow.sent(), flow.received(), nowNs)) {
        return;
      }
      remove(flow);
    }
  }

  private void remove(FlowState flow) {
    head = flow.statsNext();
    if (head == null) {
      tail = null;
    }
    flow.statsDue(false, 0);
  }

  /// The last word on a flow that ends.
  void last(FlowState flow, long nowNs) {
    if (active) {
      controls.flowStats(flow.id(), flow.sent(), flow.received(), nowNs);
    }
  }
}
