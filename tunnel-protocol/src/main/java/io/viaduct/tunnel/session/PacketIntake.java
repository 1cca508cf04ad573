package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.history.ClassCodecs;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import org.jspecify.annotations.Nullable;

/// Takes packets for the other end: whether the queue of their class admits them, what they mean
/// for their flow, and into which compound they are encoded. The counterpart of [PacketRestorer].
final class PacketIntake {
  private static final int TCP_FLAGS = 13;

  private final boolean fromDevice;
  private final LoopMemory memory;
  private final FlowTable flows;
  private final FlowStatsSchedule stats;
  private final SessionPacing pacing;
  private final ClassCodecs codecs;
  private final ClassCompounds compounds;
  private final PacketEncoder encoder;
  private final Sealer sealer;
  private final BodyLimit bodies;
  private final long[] verdicts;

  PacketIntake(
      boolean fromDevice,
      LoopMemory memory,
      FlowTable flows,
      FlowStatsSchedule stats,
      SessionPacing pacing,
      ClassCodecs codecs,
      ClassCompounds compounds,
      PacketEncoder encoder,
      Sealer sealer,
      BodyLimit bodies,
      long[] verdicts) {
    this.fromDevice = fromDevice;
    this.memory = memory;
    this.flows = flows;
    this.stats = stats;
    this.pacing = pacing;
    this.codecs = codecs;
    this.compounds = compounds;
    this.encoder = encoder;
    this.sealer = sealer;
    this.bodies = bodies;
    this.verdicts = verdicts;
  }

  /// As [TunnelSession#offer], of a session that is open; counts only what it says besides.
  Verdict take(
      ByteBuf packet,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial,
      @Nullable FlowState offered,
      long nowNs) {
    FlowKey key = memory.key;
    if (!key.parse(packet, ipOffset, length)) {
      return Verdict.NOT_IP;
    }
    FlowState flow = offered == null || offered.hasEnded() ? null : offered;
    ServiceClass serviceClass = flow == null ? ServiceClass.HT_HD : flow.serviceClass();
    Verdict admitted = pacing.admit(serviceClass, packet, ipOffset, length, nowNs);
    if (admitted == Verdict.MARKED) {
      verdicts[admitted.ordinal()]++;
      key.parse(packet, ipOffset, length);
    } else if (admitted != Verdict.QUEUED) {
      return admitted;
    }
    boolean tcp = key.protocol() == FlowKey.TCP;
    codecs.of(serviceClass).arrived(length, tcp || gsoSize > 0, nowNs);
    stats.ride(nowNs);
    flows.at(nowNs);
    if (flow != null) {
      flow.touch(nowNs);
      stats.changed(flow, nowNs);
      if (tcp && !key.portless()) {
        int flags = packet.getUnsignedByte(ipOffset + key.transportOffset() + TCP_FLAGS);
        flows.tcpFlags(flow, fromDevice, flags);
      }
    }
    return encoder.encode(
        packet,
        ipOffset,
        length,
        gsoSize,
        checksumPartial,
        key,
        flow,
        compounds.arrival(serviceClass, !tcp, nowNs),
        sealer.sequence(),
        pacing.bodyBytes(bodies.bytes(nowNs)),
        nowNs);
  }
}
