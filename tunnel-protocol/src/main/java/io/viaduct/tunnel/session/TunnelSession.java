package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.BlockCompressor;
import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.history.ClassCodecs;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Direction;
import io.viaduct.tunnel.key.KeyChain;
import io.viaduct.tunnel.key.Opener;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// One end of one tunnel, as both shells drive it. Owned by one event loop; no socket, thread or
/// clock of its own.
///
/// The way out: [#offer] → records → open compound of the class → class queue → [#drain]: seal →
/// burst. The way in: [#open]: header, replay window, tag → blocks → records → packets →
/// [#openBatchEnd].
public final class TunnelSession implements AutoCloseable {
  private final TunnelTerms terms;
  private final LoopMemory memory;
  private final Sealer sealer;
  private final Opener opener;
  private final long[] verdicts = new long[Verdict.COUNT];
  private final SessionTotals totals = new SessionTotals();
  private final FlowTable flows;
  private final ClassQueues queues;
  private final SessionPacing pacing;
  private final ClassCompounds compounds;
  private final PacketIntake intake;
  private final DatagramWriter datagrams;
  private final PathExchange path;
  private final DatagramReceiver receiver;
  private final PathMtuSearch mtu;
  private final PacketSizes sizes;
  private final SessionTimers timers;
  private final ClassCodecs codecs;
  private final SessionHistories histories;
  private @Nullable DatagramSink control;
  private boolean closed;

  /// @param settings this end's own
  public TunnelSession(
      TunnelRole role,
      TunnelTerms terms,
      TunnelSettings settings,
      LoopMemory memory,
      FlowListener flowListener,
      PathListener pathListener,
      long nowNs) {
    boolean agent = role == TunnelRole.AGENT;
    this.terms = terms;
    this.memory = memory;
    AeadAlgorithm algorithm = terms.aead();
    Aead aead = memory.aead(algorithm);
    Direction out = agent ? Direction.UP : Direction.DOWN;
    Direction in = agent ? Direction.DOWN : Direction.UP;
    KeyChain sending = new KeyChain(algorithm, terms.secret(), out);
    sealer = new Sealer(sending, terms.peerReceiverIndex(), nowNs);
    opener = new Opener(new KeyChain(algorithm, terms.secret(), in));
    flows = new FlowTable(agent, settings.flowsMax(), settings.timeouts(), flowListener, verdicts);
    flows.at(nowNs);
    ControlQueue controls = new ControlQueue();
    FlowStatsSchedule stats = new FlowStatsSchedule(agent, controls);
    queues =
        new ClassQueues(
            settings.classQueueBytes().stream().mapToInt(Integer::intValue).toArray(),
            settings.floorPercent());
    BodyLimit bodies = new BodyLimit();
    mtu = new PathMtuSearch(terms.limits().pathMtu());
    CompoundWriter.Grouping grouping = settings.context().grouping();
    int history = terms.limits().historyBytes();
    codecs = new ClassCodecs(memory.history.costs(), history > 0);
    var pacer = new Pacer(settings.pacing(), nowNs);
    pacing = new SessionPacing(!agent, pacer, queues, codecs, memory.random.nextLong(), nowNs);
    histories =
        new SessionHistories(
            memory.history, history, grouping != CompoundWriter.Grouping.STORED, controls);
    BlockCompressor compressor =
        new BlockCompressor(
            memory.compounds,
            memory.history,
            histories.sent(),
            grouping == CompoundWriter.Grouping.ALL);
    compounds =
        new ClassCompounds(
            terms, settings, memory, controls, codecs, compressor, grouping, queues, pacer);
    PacketEncoder encoder =
        new PacketEncoder(terms.bodyBytesMax(mtu.size()), memory.compounds, compounds::enqueue);
    intake =
        new PacketIntake(
            agent, memory, flows, stats, pacing, codecs, compounds, encoder, sealer, bodies,
            verdicts);
    sizes = new PacketSizes(terms, mtu, memory, compounds, encoder, verdicts);
    datagrams = new DatagramWriter(memory, aead, sealer, queues, pacer, totals, terms, mtu, nowNs);
    PacketRestorer restorer =
        new PacketRestorer(
            memory,
            flows,
            controls,
            stats,
            totals,
            verdicts,
            histories.received(),
            new ControlReceiver(flows, sealer, memory.coalescer, histories.sent(), bodies),
            new SegmentClamp(sizes::innerMtu, verdicts),
            !agent);
    path = new PathExchange(agent, datagrams, restorer, pacing, pathListener, mtu, memory.random);
    receiver =
        new DatagramReceiver(
            memory,
            aead,
            opener,
            flows,
            totals,
            verdicts,
            controls,
            path,
            restorer,
            pacing,
            terms.outerHeaderBytes());
    timers =
        new SessionTimers(
            flows, stats, controls, compounds, queues, histories, memory.coalescer, nowNs);
  }

  public FlowTable flows() {
    return flows;
  }

  public TunnelTerms terms() {
    return terms;
  }

  /// Takes one packet, or one TSO or USO superpacket, from the TUN device. The bytes are copied.
  ///
  /// @param gsoSize payload bytes per segment, 0 for a plain packet
  /// @param checksumPartial the transport checksum is not complete yet (`NEEDS_CSUM`)
  /// @param flow of `flows().lookup`; null: the packet travels without context
  /// @return QUEUED, or why it was dropped; counted
  public Verdict offer(
      ByteBuf packet,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial,
      @Nullable FlowState flow,
      long nowNs) {
    Verdict verdict =
        closed
            ? Verdict.SESSION_CLOSED
            : intake.take(packet, ipOffset, length, gsoSize, checksumPartial, flow, nowNs);
    verdicts[verdict.ordinal()]++;
    return verdict;
  }

  /// Tells the sender of a packet that was refused as PACKET_TOO_BIG, if it may be told.
  ///
  /// @param sink towards the sender
  public void answerTooBig(
      ByteBuf packet, int ipOffset, int length, InnerPacketSink sink, long nowNs) {
    sizes.answerTooBig(packet, ipOffset, length, sink, nowNs);
  }

  /// The TUN device has no more for now: what should not wait is closed.
  public void flushBatch(long nowNs) {
    compounds.batchEnd(nowNs);
  }

  /// Seals what is ready, by priority, until the sink is not writable.
  ///
  /// @return whether more is ready: call it again when the sink, or the control connection, is
  ///   writable
  public boolean drain(DatagramSink sink, long nowNs) {
    if (closed) {
      return false;
    }
    boolean pathWaits = datagrams.drainPath(sink, control, nowNs);
    DatagramSink over = path.carrier() == Carrier.UDP ? sink : control;
    boolean dataWait = over != null && path.isBound() && drainData(over, over == sink, nowNs);
    if (dataWait || datagrams.isHeld()) {
      codecs.limitedByLink(nowNs);
    }
    return pathWaits || dataWait;
  }

  private boolean drainData(DatagramSink over, boolean byUdp, long nowNs) {
    InetSocketAddress to = byUdp ? path.boundTo() : null;
    boolean more = datagrams.drain(over, to, nowNs);
    while (!more && compounds.closeFilled(nowNs)) {
      more = datagrams.drain(over, to, nowNs);
    }
    return more;
  }

  /// The control connection that may carry this session's datagrams from here on. Without one the
  /// carrier is UDP.
  public void control(@Nullable DatagramSink connection) {
    control = connection;
    if (connection == null) {
      path.controlLost();
    }
  }

  /// Agent: datagrams go by this carrier, and the SNAPT is asked to do the same. To be repeated
  /// while its data come by the other one.
  public void carryBy(Carrier chosen) {
    path.carryBy(chosen, control != null);
  }

  /// What datagrams go by now.
  public Carrier carrier() {
    return path.carrier();
  }

  /// Takes one datagram from the socket or the control connection.
  ///
  /// @param datagram direct
  /// @param from where it came from; the binding of a SNAPT's session follows it. Null: by the
  ///   control connection
  /// @return its fate; counted. Only ACCEPTED has changed anything
  public Verdict open(
      ByteBuf datagram,
      int offset,
      int length,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    Verdict verdict = receive(datagram, offset, length, from, sink, nowNs);
    verdicts[verdict.ordinal()]++;
    return verdict;
  }

  private Verdict receive(
      ByteBuf datagram,
      int offset,
      int length,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    if (closed) {
      return Verdict.SESSION_CLOSED;
    }
    Verdict verdict = receiver.receive(datagram, offset, length, from, sink, nowNs);
    sizes.fit(nowNs);
    return verdict;
  }

  /// The socket has no more for now: coalesced packets leave.
  public void openBatchEnd(long nowNs) {
    memory.coalescer.flushAll();
    if (!closed) {
      path.acknowledge(nowNs);
    }
  }

  /// When [#onTick] wants to be called, Long.MAX_VALUE for never.
  public long nextDeadlineNs() {
    if (closed) {
      return Long.MAX_VALUE;
    }
    return Math.min(Math.min(datagrams.heldUntilNs(), mtu.nextTickNs()), timers.dueNs());
  }

  /// Time passes: deadlines, statistics, expiry. Call [#drain] afterwards.
  public void onTick(long nowNs) {
    if (closed) {
      return;
    }
    flows.at(nowNs);
    path.tick(nowNs);
    sizes.fit(nowNs);
    timers.tick(nowNs);
  }

  /// The session is about to end: the agent's last FLOW_STATS leave with the next [#drain], as many
  /// as their class's queue takes. Without them the SNAPT would not know delay and loss of the last
  /// one to five seconds, which the price depends on.
  public void lastWord(long nowNs) {
    if (!closed) {
      timers.lastWord(nowNs);
    }
  }

  /// The kernel refuses datagrams of so many bytes on their way out (EMSGSIZE); 0: none.
  public void tooLong(int datagramBytes, long nowNs) {
    if (datagramBytes > 0) {
      sizes.tooLong(datagramBytes, nowNs);
    }
  }

  /// Bytes of the outer IP packets that the path carries from here, as far as is known.
  public PathMtuSearch mtu() {
    return mtu;
  }

  /// Agent: a PROBE leaves with the next [#drain], by this carrier.
  public void probe(Carrier by, long nowNs) {
    path.probe(by, nowNs);
  }

  /// The network under the tunnel is another one: what was measured of it is forgotten.
  public void pathChanged() {
    path.changed();
  }

  /// Whether queues stand here, at the rate of the path, and not in the path. Then packets that are
  /// too many are dropped by class, and the TUN device should be read on.
  public boolean isPaced() {
    return pacing.pacer().limits();
  }

  /// Bit/s of outer IP packets that pacing allows now, infinite without a limit.
  public double pacedBitPerSecond() {
    return pacing.pacer().bytesPerSecond() * 8;
  }

  /// SNAPT: where its datagrams go, null before the first authentic one. Agent: null.
  public @Nullable InetSocketAddress binding() {
    return path.boundTo();
  }

  /// Smoothed round trip in µs, as the agent's probes found it and shared it; NaN before.
  public double roundTripUs() {
    return path.roundTripUs();
  }

  /// Agent: share of probes without answer, NaN before the first ten.
  public double probeLoss() {
    return path.loss();
  }

  /// Counters by [Verdict] ordinal; read only.
  public long[] verdicts() {
    return verdicts;
  }

  /// Datagrams that the other end has sent at least, as its sequence numbers say. What of them is
  /// not among [SessionTotals#receivedDatagrams] is lost, late or not complete.
  public long expectedDatagrams() {
    return opener.highest() + 1;
  }

  public SessionTotals totals() {
    return totals;
  }

  /// Bytes that wait, closed, in the queue of a class.
  public int queuedBytes(ServiceClass serviceClass) {
    return queues.bytes(serviceClass);
  }

  /// Ends every flow, gives memory back, wipes the keys.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    memory.coalescer.flushAll();
    flows.endAll(FlowEnd.SESSION_CLOSED);
    compounds.discard();
    histories.close();
    receiver.close();
    sealer.wipe();
    opener.wipe();
  }
}
