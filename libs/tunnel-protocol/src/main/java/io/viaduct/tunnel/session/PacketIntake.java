package io.viaduct.tunnel.session;

import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.metering.FlowStatsSchedule;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Takes packets for the other end: chooses their path, admits them to the queue of their class,
/// updates their flow, and encodes them into a compound. The counterpart of
/// [io.viaduct.tunnel.restore.PacketRestorer].
final class PacketIntake {
  private final boolean fromDevice;
  private final LoopMemory memory;
  private final FlowTable flows;
  private final FlowListener listener;
  private final FlowStatsSchedule stats;
  private final ClassCodecs codecs;
  private final PathChoice choice;
  private final FlowSpreading spreading;
  private final Sealer sealer;
  private final BodyLimit bodies;
  private final VerdictCounters verdicts;
  private final BooleanSupplier keepsBursts;
  private boolean holdsFlowless;

  /// @param keepsBursts tells whether the bursts of low-delay classes are kept, to leave again
  ///   ([RecentBursts])
  PacketIntake(
      SessionState state,
      LoopMemory memory,
      ClassCodecs codecs,
      PathChoice choice,
      FlowSpreading spreading,
      Sealer sealer,
      BooleanSupplier keepsBursts) {
    this.fromDevice = state.atDevice;
    this.memory = memory;
    this.flows = state.flows;
    this.listener = state.listener;
    this.stats = state.stats;
    this.codecs = codecs;
    this.choice = choice;
    this.spreading = spreading;
    this.sealer = sealer;
    this.bodies = state.bodies;
    this.verdicts = state.verdicts;
    this.keepsBursts = keepsBursts;
  }

  /// Takes a packet of an open session, as [TunnelSession#offer] describes. The caller counts the
  /// returned verdict; this method counts marks only.
  Verdict take(IpPacket packet, long nowNs) {
    FlowKey key = memory.key;
    if (!key.parse(packet)) {
      return Verdict.NOT_IP;
    }
    return take(packet, flows.lookup(key, nowNs), nowNs);
  }

  /// Returns the flow of the packet that [LoopMemory#parse] has read last, null if this session
  /// does not have it.
  @Nullable FlowState flowOfParsed() {
    return flows.find(memory.key, fromDevice);
  }

  /// Takes a packet of a flow, which [LoopMemory#parse] has read last.
  ///
  /// @param flow null if no flow could be added
  Verdict take(IpPacket packet, @Nullable FlowState flow, long nowNs) {
    if (flow != null) {
      listener.offered(flow, packet, nowNs);
    }
    if (flow == null ? holdsFlowless : flow.isHeld()) {
      return Verdict.FLOW_HELD;
    }
    return admit(packet, memory.key, flow, nowNs);
  }

  /// Refuses the packets that belong to no flow, or lets them pass again.
  void holdFlowless(boolean refused) {
    holdsFlowless = refused;
  }

  /// Takes a packet of this end itself, which belongs to no flow.
  Verdict takeFlowless(IpPacket packet, long nowNs) {
    FlowKey key = memory.key;
    return key.parse(packet) ? admit(packet, key, null, nowNs) : Verdict.NOT_IP;
  }

  private Verdict admit(IpPacket packet, FlowKey key, @Nullable FlowState flow, long nowNs) {
    ServiceClass serviceClass = flow == null ? ServiceClass.HT_HD : flow.serviceClass();
    SessionPath path = choice.of(flow, serviceClass, packet.length(), nowNs);
    if (path == null) {
      return Verdict.NO_PATH;
    }
    path.offeredBytes += packet.length();
    SessionPath judge = spreading.judge(flow, path, serviceClass, nowNs);
    Verdict admitted = judge.pacing.admit(serviceClass, packet, nowNs);
    if (admitted == Verdict.MARKED) {
      verdicts.count(admitted);
      key.marked();
    } else if (admitted != Verdict.QUEUED) {
      return admitted;
    }
    boolean tcp = key.protocol() == IpFields.TCP;
    codecs.of(serviceClass).arrived(packet.length(), tcp || packet.gsoSize() > 0, nowNs);
    stats.queueDue(nowNs);
    if (flow != null) {
      flow.touch(nowNs);
      if (flow.queued() == 0) {
        flow.waits(path.id, path.datagrams.waitedNs(nowNs));
      }
      stats.changed(flow, nowNs);
      if (tcp && !key.isPortless()) {
        int at = packet.start() + key.transportOffset() + IpFields.TCP_FLAGS;
        flows.tcpFlags(flow, fromDevice, packet.buffer().getUnsignedByte(at), nowNs);
      }
    }
    return path.encoder.encode(
        packet,
        key,
        flow,
        path.compounds.arrival(
            serviceClass, !tcp, flow != null && FlowRoute.isBinding(flow.route()), nowNs),
        sealer.sequence(),
        mayLeaveTwice(flow, serviceClass) ? 0 : path.pacing.bodyBytes(bodies.bytes(nowNs)),
        nowNs);
  }

  // A body that is sealed as one leaves in fragments, which have no copies and are not kept.
  private boolean mayLeaveTwice(@Nullable FlowState flow, ServiceClass serviceClass) {
    return flow != null
        && (flow.copyPath() != FlowState.NO_PATH
            || serviceClass.isLowDelay()
                && !FlowRoute.isBinding(flow.route())
                && keepsBursts.getAsBoolean());
  }
}
