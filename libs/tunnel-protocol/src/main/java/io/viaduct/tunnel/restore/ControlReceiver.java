package io.viaduct.tunnel.restore;

import io.viaduct.tunnel.compound.ControlSink;
import io.viaduct.tunnel.dictionary.EpochAnnouncement;
import io.viaduct.tunnel.dictionary.SendHistory;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.flow.PeerFlowStats;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.terms.TunnelLimits;
import io.viaduct.tunnel.wire.Arrival;
import io.viaduct.tunnel.wire.VarInt;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/// Applies the peer's control records to this session: contexts, epochs and body lengths that this
/// end may send with, the peer's counters, and ended flows (docs/protocol.md section 3.3).
public final class ControlReceiver implements ControlSink {
  private final FlowTable flows;
  private final Sealer sealer;
  private final SegmentCoalescer coalescer;
  private final @Nullable SendHistory sent;
  private final BodyLimit bodies;
  private final Resequencer resequencer;
  private final TunnelLimits limits;
  private final VerdictCounters verdicts;
  private final boolean fromDevice;
  private final ArrayList<FlowState> ending = new ArrayList<>();

  /// @param fromDevice true if the peer is the device, which alone chooses routes
  public ControlReceiver(
      FlowTable flows,
      Sealer sealer,
      SegmentCoalescer coalescer,
      @Nullable SendHistory sent,
      BodyLimit bodies,
      Resequencer resequencer,
      TunnelLimits limits,
      VerdictCounters verdicts,
      boolean fromDevice) {
    this.flows = flows;
    this.sealer = sealer;
    this.coalescer = coalescer;
    this.sent = sent;
    this.bodies = bodies;
    this.resequencer = resequencer;
    this.limits = limits;
    this.verdicts = verdicts;
    this.fromDevice = fromDevice;
  }

  /// Ends the flows that the datagram has ended, after its bytes were shared among the flows.
  void finishDatagram(long nowNs) {
    if (!ending.isEmpty()) {
      ending.forEach(flow -> flows.end(flow, FlowEnd.PEER_ENDED, nowNs));
      ending.clear();
    }
  }

  @Override
  public void flowAck(int id, int generation, int sequenceLow) {
    FlowState flow = flows.byId(id);
    if (flow != null) {
      flow.sendContexts().acknowledge(generation, sequenceLow, sealer.sequence());
    }
  }

  @Override
  public void flowUnknown(int id, int generation) {
    FlowState flow = flows.byId(id);
    if (flow != null) {
      flow.sendContexts().forget(generation);
    }
  }

  @Override
  public void flowStats(Arrival arrival, int id, long[] v) {
    FlowState flow = flows.byId(id);
    if (flow != null
        && v[0] >= flow.peer().sentPackets()
        && v[3] >= flow.peer().receivedPackets()
        && (v[1] | v[2] | v[4] | v[5] | v[7]) >= 0) {
      flow.peer(
          new PeerFlowStats(
              v[0], v[1], v[2], v[3], v[4], v[5], VarInt.unzigzag(v[6]), v[7], arrival.nowNs()));
    }
  }

  @Override
  public void flowWaited(int id, long waitedUs) {
    FlowState flow = flows.byId(id);
    if (flow != null && fromDevice) {
      flow.peerWaitedUs(waitedUs);
    }
  }

  @Override
  public void flowEnd(int id) {
    FlowState flow = flows.byId(id);
    if (flow == null) {
      return;
    }
    coalescer.flush(flow);
    if (flows.isOwn(id)) {
      flow.sendContexts().forgetAll(); // the peer starts anew with the next OPEN
    } else if (flow.id() == id) {
      ending.add(flow);
    }
  }

  @Override
  public void flowRoute(Arrival arrival, int id, int route) {
    FlowState flow = flows.byId(id);
    if (!fromDevice) {
      return;
    }
    if (!limits.allows(route)) {
      verdicts.count(Verdict.PATH_UNKNOWN);
    } else if (flow != null) {
      flow.followRoute(route, arrival.sequence());
    }
  }

  @Override
  public void flowSpread(Arrival arrival, int id) {
    FlowState flow = flows.byId(id);
    if (flow != null) {
      resequencer.announced(flow, arrival.nowNs());
    }
  }

  @Override
  public void epoch(Arrival arrival, EpochAnnouncement announcement) {
    if (sent != null) {
      sent.announced(announcement, sealer.sequence(), arrival.nowNs());
    }
  }

  @Override
  public void epochUnknown(int context, int epoch) {
    if (sent != null) {
      sent.unknown(context, epoch);
    }
  }

  @Override
  public void incomplete(Arrival arrival, int total) {
    bodies.incomplete(total, arrival.nowNs());
  }
}
