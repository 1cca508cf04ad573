package io.viaduct.tunnel.session;

import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.compound.BlockCompressor;
import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.Direction;
import io.viaduct.tunnel.key.KeyChain;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// The outbound half of a session. The way of a packet: [PacketIntake] admits it and encodes it →
/// [ClassCompounds] collects records of its class → [ClassQueues] orders the compounds →
/// [DatagramWriter] seals them and sends bursts.
final class OutboundHalf {
  final Sealer sealer;
  final ClassCodecs codecs;
  final SessionPacing pacing;
  final PacketSizes sizes;
  final PacketIntake intake;
  final ClassCompounds compounds;
  final ClassQueues queues;
  final DatagramWriter datagrams;

  OutboundHalf(
      SessionState state, TunnelSettings settings, LoopMemory memory, Aead aead, long nowNs) {
    TunnelTerms terms = state.terms;
    Direction direction = state.atDevice ? Direction.UP : Direction.DOWN;
    sealer =
        new Sealer(
            new KeyChain(terms.aead(), terms.secret(), direction),
            terms.peerReceiverIndex(),
            nowNs);
    queues =
        new ClassQueues(
            settings.classQueueBytes().stream().mapToInt(Integer::intValue).toArray(),
            settings.floorPercent());
    codecs = new ClassCodecs(memory.history.costs(), terms.limits().historyBytes() > 0);
    Pacer pacer = new Pacer(settings.pacing(), nowNs);
    pacing =
        new SessionPacing(!state.atDevice, pacer, queues, codecs, memory.random.nextLong(), nowNs);
    CompoundWriter.Grouping grouping = settings.context().grouping();
    BlockCompressor compressor =
        new BlockCompressor(
            memory.compounds,
            memory.history,
            state.histories.sent(),
            grouping == CompoundWriter.Grouping.ALL);
    compounds =
        new ClassCompounds(
            terms, settings, memory, state.controls, codecs, compressor, grouping, queues, pacer);
    PacketEncoder encoder =
        new PacketEncoder(
            terms.bodyBytesMax(state.mtu.size()), memory.compounds, compounds::enqueue);
    intake = new PacketIntake(state, memory, pacing, codecs, compounds, encoder, sealer);
    sizes = new PacketSizes(terms, state.mtu, memory, compounds, encoder, state.verdicts);
    datagrams =
        new DatagramWriter(
            memory, aead, sealer, queues, pacer, state.totals, terms, state.mtu, nowNs);
  }

  /// Seals the ready compounds by priority, until the sink is not writable.
  ///
  /// @param to null for the agent, whose peer is fixed, and for a control connection
  /// @return true if more is ready
  boolean drain(DatagramSink sink, @Nullable InetSocketAddress to, long nowNs) {
    boolean more = datagrams.drain(sink, to, nowNs);
    while (!more && compounds.closeFilled(nowNs)) {
      more = datagrams.drain(sink, to, nowNs);
    }
    return more;
  }

  /// Gives the memory back and wipes the keys.
  void close() {
    compounds.discard();
    sealer.wipe();
  }
}
