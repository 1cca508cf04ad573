package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.SpreadState;
import io.viaduct.tunnel.restore.Resequencer;
import org.jspecify.annotations.Nullable;

/// The flows that this end spreads at a time: as many as the peer puts in order. The peer forgets a
/// flow some time after its last announcement, so a slot is free for another flow only then.
final class SpreadSlots {
  /// The peer's time, and one second for the announcement to arrive.
  static final long FORGOTTEN_NS = Resequencer.ANNOUNCED_NS_MAX + 1_000_000_000L;

  private final @Nullable FlowState[] flows = new FlowState[Resequencer.FLOWS_MAX];
  private final long[] toldNs = new long[Resequencer.FLOWS_MAX];

  /// Gives a flow a slot. @return false if all are taken
  boolean take(FlowState flow, long nowNs) {
    int free = -1;
    for (int i = 0; i < flows.length; i++) {
      if (flows[i] == flow) {
        toldNs[i] = nowNs;
        return true;
      }
      free = free < 0 && isFree(i, nowNs) ? i : free;
    }
    if (free < 0) {
      return false;
    }
    flows[free] = flow;
    toldNs[free] = nowNs;
    return true;
  }

  /// Notes that the peer is told about a flow.
  void told(FlowState flow, long nowNs) {
    for (int i = 0; i < flows.length; i++) {
      if (flows[i] == flow) {
        toldNs[i] = nowNs;
      }
    }
  }

  private boolean isFree(int slot, long nowNs) {
    FlowState flow = flows[slot];
    SpreadState state = flow == null || flow.hasEnded() ? null : flow.spread();
    boolean isSpread = state != null && state.isSpread();
    return flow == null || !isSpread && nowNs - toldNs[slot] >= FORGOTTEN_NS;
  }
}
