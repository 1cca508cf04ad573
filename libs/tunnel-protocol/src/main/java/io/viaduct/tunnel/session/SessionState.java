package io.viaduct.tunnel.session;

import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.dictionary.SessionHistories;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.metering.FlowStatsSchedule;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.path.PeerClock;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.VerdictCounters;

/// Holds the state that both directions of a session use: the flows, the counters, the control
/// records for the peer, and the facts that one direction learns for the other.
final class SessionState {
  final TunnelTerms terms;
  final boolean atDevice;
  final FlowListener listener;
  final VerdictCounters verdicts = new VerdictCounters();
  final SessionTotals totals = new SessionTotals();
  final ControlQueue controls = new ControlQueue();

  /// The peer reports lost long bodies; the sender then makes shorter ones.
  final BodyLimit bodies = new BodyLimit();

  /// Probes set the clock; stamps are read with it.
  final PeerClock peerClock = new PeerClock();

  final FlowTable flows;
  final FlowStatsSchedule stats;
  final SessionHistories histories;

  SessionState(
      TunnelRole role,
      TunnelTerms terms,
      TunnelSettings settings,
      LoopMemory memory,
      FlowListener listener) {
    this.terms = terms;
    this.listener = listener;
    atDevice = role == TunnelRole.AGENT;
    flows = new FlowTable(atDevice, settings.flowsMax(), settings.timeouts(), listener, verdicts);
    stats = new FlowStatsSchedule(atDevice, controls);
    boolean compresses = settings.context().grouping() != CompoundWriter.Grouping.STORED;
    histories =
        new SessionHistories(memory.history, terms.limits().historyBytes(), compresses, controls);
  }
}
