package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.dictionary.SessionHistories;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.metering.FlowStatsSchedule;
import io.viaduct.tunnel.restore.SegmentCoalescer;
import io.viaduct.tunnel.wire.ServiceClass;

/// Runs the timed work of a session: closes compounds at their deadline, sends waiting control
/// records alone, and ends idle flows and histories.
final class SessionTimers {
  private static final long EXPIRY_SPACING_NS = 1_000_000_000L;

  /// Bound on the FLOW_STATS that one tick sends: 8 × 400 bytes.
  private static final int STATS_ROUNDS_PER_TICK = 8;

  private final FlowTable flows;
  private final FlowStatsSchedule stats;
  private final ControlQueue controls;
  private final SessionPaths paths;
  private final PathChoice choice;
  private final SessionHistories histories;
  private final SegmentCoalescer coalescer;
  private long expiryNs;

  SessionTimers(SessionState state, OutboundHalf outbound, SegmentCoalescer coalescer, long nowNs) {
    this.flows = state.flows;
    this.stats = state.stats;
    this.controls = state.controls;
    this.paths = outbound.paths;
    this.choice = outbound.choice;
    this.histories = state.histories;
    this.coalescer = coalescer;
    this.expiryNs = nowNs + EXPIRY_SPACING_NS;
  }

  /// Returns the time at which [#tick] must be called, Long.MAX_VALUE for never.
  long dueNs() {
    long next = Math.min(controls.dueNs(), stats.dueNs());
    next = mayControl(choice.nearest()) ? next : Long.MAX_VALUE;
    boolean keeps = flows.size() > 0 || !histories.isEmpty();
    for (SessionPath each : paths.open()) {
      next = Math.min(next, each.compounds.dueNs());
      keeps |= !each.recent.isEmpty();
    }
    return keeps ? Math.min(next, expiryNs) : next;
  }

  void tick(long nowNs) {
    for (SessionPath each : paths.open()) {
      each.compounds.closeDue(nowNs);
    }
    if (nowNs >= expiryNs) {
      expiryNs = nowNs + EXPIRY_SPACING_NS;
      flows.expire(flow -> endingHere(flow, nowNs), nowNs);
      histories.expire(nowNs);
      for (SessionPath each : paths.open()) {
        each.recent.expire(nowNs);
      }
    }
    SessionPath by = choice.nearest(nowNs);
    for (int i = 0; i < STATS_ROUNDS_PER_TICK && mayControl(by); i++) {
      stats.queueOverdue(nowNs);
      if (nowNs < controls.dueNs() && nowNs < stats.dueNs()) {
        break;
      }
      by.compounds.flushControls(nowNs);
    }
  }

  /// Sends all counters to the peer, because the session ends.
  void queueFinalStats(long nowNs) {
    SessionPath by = choice.nearest(nowNs);
    boolean more = true;
    while (more && mayControl(by)) {
      more = stats.queueAll(nowNs);
      by.compounds.flushControls(nowNs);
    }
  }

  /// Returns whether control records may travel alone: they wait while the queue of their class is
  /// full.
  private static boolean mayControl(SessionPath by) {
    return by.queues.hasRoom(ServiceClass.LT_LD, ControlQueue.BYTES_MAX);
  }

  /// Ends a flow here, because another session has it from now on.
  void giveUp(FlowState flow, long nowNs) {
    endingHere(flow, nowNs);
    flows.end(flow, FlowEnd.REPLACED, nowNs);
  }

  private void endingHere(FlowState flow, long nowNs) {
    coalescer.flush(flow);
    stats.queueFinal(flow, nowNs);
    controls.flowEnd(flow.id(), nowNs);
  }
}
