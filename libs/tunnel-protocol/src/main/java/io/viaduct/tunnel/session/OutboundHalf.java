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
import io.viaduct.tunnel.path.Candidate;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.scheduling.MaxWeight;
import io.viaduct.tunnel.scheduling.ServiceOrder;
import io.viaduct.tunnel.scheduling.StrictPriority;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// The outbound half of a session. The way of a packet: [PacketIntake] admits it, chooses its path
/// and encodes it → [ClassCompounds] of the path collects records of its class → [ClassQueues]
/// orders the compounds → [DatagramWriter] seals them and sends bursts.
final class OutboundHalf {
  final Sealer sealer;
  final ClassCodecs codecs;
  final SessionPaths paths;
  final FlowSpreading spreading;
  final PathChoice choice;
  final PathMoves moves;
  final PacketIntake intake;
  private final DatagramWriter.OtherPaths otherPaths = new OthersOfSession();
  private final boolean hasCopies;
  private final boolean atDevice;

  OutboundHalf(
      SessionState state, TunnelSettings settings, LoopMemory memory, Aead aead, long nowNs) {
    TunnelTerms terms = state.terms;
    atDevice = state.atDevice;
    hasCopies = terms.limits().hasCopies();
    Direction direction = state.atDevice ? Direction.UP : Direction.DOWN;
    sealer =
        new Sealer(
            new KeyChain(terms.aead(), terms.secret(), direction),
            terms.peerReceiverIndex(),
            nowNs);
    codecs = new ClassCodecs(memory.history.costs(), terms.limits().historyBytes() > 0);
    CompoundWriter.Grouping grouping = settings.context().grouping();
    BlockCompressor compressor =
        new BlockCompressor(
            memory.compounds,
            memory.history,
            state.histories.sent(),
            grouping == CompoundWriter.Grouping.ALL);
    paths =
        new SessionPaths(
            terms.limits().paths(),
            id -> path(id, state, settings, memory, aead, compressor, nowNs));
    spreading = new FlowSpreading(paths, state.controls, terms.limits());
    choice = new PathChoice(paths, spreading, hasCopies, nowNs);
    moves = new PathMoves(paths, choice, state.verdicts);
    intake = new PacketIntake(state, memory, codecs, choice, spreading, sealer, this::keepsBursts);
  }

  // The only path of a device may move to another address, which its NAT or it decides; what leaves
  // the device takes the new one at once.
  private boolean keepsBursts() {
    return hasCopies && (!atDevice || paths.areSeveralInUse());
  }

  private SessionPath path(
      int id,
      SessionState state,
      TunnelSettings settings,
      LoopMemory memory,
      Aead aead,
      BlockCompressor compressor,
      long nowNs) {
    TunnelTerms terms = state.terms;
    PathBudget budget = new PathBudget(new PathMtuSearch(terms.limits().pathMtu()));
    Pacer pacer = new Pacer(settings.pacing(), nowNs);
    ClassQueues queues =
        new ClassQueues(
            settings.classQueueBytes().stream().mapToInt(Integer::intValue).toArray(),
            order(settings, pacer, nowNs));
    SessionPacing pacing =
        new SessionPacing(
            !state.atDevice,
            terms.limits().paths() > 1,
            pacer,
            queues,
            codecs,
            memory.random.nextLong(),
            nowNs);
    ClassCompounds compounds =
        new ClassCompounds(
            budget,
            settings,
            memory,
            state.controls,
            codecs,
            compressor,
            settings.context().grouping(),
            queues,
            pacer);
    PacketEncoder encoder =
        new PacketEncoder(budget.bodyBytesMax(), memory.compounds, compounds::enqueue);
    RecentBursts recent = new RecentBursts(memory);
    return new SessionPath(
        id,
        budget,
        queues,
        pacing,
        compounds,
        encoder,
        new PacketSizes(budget, memory, compounds, encoder, state.verdicts),
        new DatagramWriter(
            id,
            memory,
            aead,
            sealer,
            queues,
            pacer,
            state.totals,
            budget,
            otherPaths,
            recent,
            nowNs),
        new PathMessages(memory, aead, sealer, pacer, state.totals, state.verdicts, budget),
        new CopyQueue(
            memory.allocator,
            pacer,
            budget,
            state.totals,
            state.verdicts,
            CopyQueue.COPY_WAIT_NS_MAX),
        new CopyQueue(
            memory.allocator,
            pacer,
            budget,
            state.totals,
            state.verdicts,
            CopyQueue.REPEAT_WAIT_NS_MAX),
        recent);
  }

  private static ServiceOrder order(TunnelSettings settings, Pacer pacer, long nowNs) {
    return switch (settings.scheduling().order()) {
      case PRIORITY -> new StrictPriority(settings.floorPercent());
      case MAX_WEIGHT ->
          new MaxWeight(settings.scheduling().utilities(), pacer::bytesPerSecond, nowNs);
    };
  }

  /// The other paths of the session, as the writer of one path needs them.
  private final class OthersOfSession implements DatagramWriter.OtherPaths {
    @Override
    public boolean mayRepeat(@Nullable InetSocketAddress to) {
      return keepsBursts() && (atDevice || to != null);
    }

    @Override
    public @Nullable CopyQueue copiesOf(int path) {
      SessionPath found = paths.find(path);
      return found == null ? null : found.copies;
    }
  }

  /// Seals the ready compounds of a path by priority, until the sink is not writable.
  ///
  /// @param to null for the agent, whose peer is fixed, and for a control connection
  /// @param link the device's link that the sink leads over
  /// @return true if more is ready
  boolean drain(
      SessionPath path,
      DatagramSink sink,
      @Nullable InetSocketAddress to,
      String link,
      long nowNs) {
    Candidate candidate = to == null ? null : path.candidate;
    Candidate copyTo = candidate != null && candidate.isOpen(nowNs) ? candidate : null;
    boolean both = to != null && path.isMoving();
    boolean more = path.datagrams.drain(sink, to, copyTo, both, link, nowNs);
    while (!more && path.compounds.closeFilled(nowNs)) {
      more = path.datagrams.drain(sink, to, copyTo, both, link, nowNs);
    }
    return more;
  }

  /// Returns the largest inner packet that fits into one datagram of each path in use, in bytes.
  int innerMtu() {
    int least = Integer.MAX_VALUE;
    for (SessionPath each : paths.usable()) {
      least = Math.min(least, each.sizes.innerMtu());
    }
    return least;
  }

  /// Applies the sizes that the searches have found.
  void fit(long nowNs) {
    for (SessionPath each : paths.open()) {
      each.sizes.fit(nowNs);
    }
  }

  /// Gives the memory back and wipes the keys.
  void close() {
    for (SessionPath each : paths.open()) {
      each.discard();
    }
    sealer.wipe();
  }
}
