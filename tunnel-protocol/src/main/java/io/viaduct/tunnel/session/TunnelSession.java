package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.compound.BlockCompressor;
import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowKey;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.history.CodecPolicy;
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
  private static final long EXPIRY_SPACING_NS = 1_000_000_000L;

  /// Bounds what one tick sends of FLOW_STATS: 8 × 400 bytes.
  private static final int STATS_ROUNDS_PER_TICK = 8;

  private final TunnelRole role;
  private final TunnelTerms terms;
  private final LoopMemory memory;
  private final Aead aead;
  private final Sealer sealer;
  private final Opener opener;
  private final long[] verdicts = new long[Verdict.COUNT];
  private final SessionTotals totals = new SessionTotals();
  private final FlowTable flows;
  private final ControlQueue controls = new ControlQueue();
  private final FlowStatsSchedule stats;
  private final ClassQueues queues;
  private final SessionPacing pacing;
  private final ClassCompounds compounds;
  private final PacketEncoder encoder;
  private final DatagramWriter datagrams;
  private final PacketRestorer restorer;
  private final PathExchange path;
  private final DatagramReceiver receiver;
  private final BodyLimit bodies = new BodyLimit();
  private final PathMtuSearch mtu;
  private final PacketTooBig tooBig = new PacketTooBig();
  private final CodecPolicy policy;
  private final SessionHistories histories;
  private @Nullable DatagramSink control;
  private int fittedTo;
  private long expiryNs;
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
    this.role = role;
    this.terms = terms;
    this.memory = memory;
    AeadAlgorithm algorithm = terms.aead();
    aead = memory.aead(algorithm);
    Direction out = agent ? Direction.UP : Direction.DOWN;
    Direction in = agent ? Direction.DOWN : Direction.UP;
    KeyChain sending = new KeyChain(algorithm, terms.secret(), out);
    sealer = new Sealer(sending, terms.peerReceiverIndex(), nowNs);
    opener = new Opener(new KeyChain(algorithm, terms.secret(), in));
    flows = new FlowTable(agent, settings.flowsMax(), settings.timeouts(), flowListener, verdicts);
    flows.at(nowNs);
    stats = new FlowStatsSchedule(agent, controls);
    queues =
        new ClassQueues(
            settings.classQueueBytes().stream().mapToInt(Integer::intValue).toArray(),
            settings.floorPercent());
    mtu = new PathMtuSearch(terms.limits().pathMtu());
    fittedTo = mtu.size();
    CompoundWriter.Grouping grouping = settings.context().grouping();
    int history = terms.limits().historyBytes();
    policy = new CodecPolicy(memory.history.costs(), history > 0);
    var pacer = new Pacer(settings.pacing(), nowNs);
    pacing = new SessionPacing(pacer, queues, policy, memory.random.nextLong(), nowNs);
    histories =
        new SessionHistories(
            memory.history, history, grouping != CompoundWriter.Grouping.STORED, policy, controls);
    BlockCompressor compressor =
        new BlockCompressor(
            memory.compounds,
            memory.history,
            policy,
            histories.sent(),
            grouping == CompoundWriter.Grouping.ALL);
    compounds =
        new ClassCompounds(terms, settings, memory, controls, compressor, grouping, queues, pacer);
    encoder = new PacketEncoder(terms.bodyBytesMax(fittedTo), memory.compounds, compounds::enqueue);
    datagrams = new DatagramWriter(memory, aead, sealer, queues, pacer, totals, terms, mtu, nowNs);
    restorer =
        new PacketRestorer(
            memory,
            flows,
            sealer,
            controls,
            stats,
            totals,
            verdicts,
            histories.received(),
            histories.sent(),
            bodies,
            new SegmentClamp(() -> terms.innerMtu(mtu.size()), verdicts),
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
    expiryNs = nowNs + EXPIRY_SPACING_NS;
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
    Verdict verdict = take(packet, ipOffset, length, gsoSize, checksumPartial, flow, nowNs);
    verdicts[verdict.ordinal()]++;
    return verdict;
  }

  private Verdict take(
      ByteBuf packet,
      int ipOffset,
      int length,
      int gsoSize,
      boolean checksumPartial,
      @Nullable FlowState offered,
      long nowNs) {
    if (closed) {
      return Verdict.SESSION_CLOSED;
    }
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
    policy.arrived(length, nowNs);
    stats.ride(nowNs);
    flows.at(nowNs);
    boolean tcp = key.protocol() == FlowKey.TCP;
    if (flow != null) {
      flow.touch(nowNs);
      stats.changed(flow, nowNs);
      if (tcp && !key.portless()) {
        int flags = packet.getUnsignedByte(ipOffset + key.transportOffset() + 13);
        flows.tcpFlags(flow, role == TunnelRole.AGENT, flags);
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

  /// Tells the sender of a packet that was refused as PACKET_TOO_BIG, if it may be told.
  ///
  /// @param sink towards the sender
  public void answerTooBig(
      ByteBuf packet, int ipOffset, int length, InnerPacketSink sink, long nowNs) {
    ByteBuf to = memory.packet;
    int at = LoopMemory.IP_OFFSET;
    int most = terms.innerMtu(mtu.size());
    int bytes = tooBig.answer(packet, ipOffset, length, most, to, at, nowNs);
    if (bytes > 0) {
      verdicts[Verdict.TOLD_TOO_BIG.ordinal()]++;
      sink.packet(null, to, at, bytes, 0, false);
    }
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
      policy.limitedByLink(nowNs);
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
    fit(nowNs);
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
    long next = mayControl() ? Math.min(controls.dueNs(), stats.dueNs()) : Long.MAX_VALUE;
    next = Math.min(next, Math.min(datagrams.heldUntilNs(), compounds.dueNs()));
    next = Math.min(next, mtu.nextTickNs());
    return flows.size() > 0 || !histories.isEmpty() ? Math.min(next, expiryNs) : next;
  }

  /// Time passes: deadlines, statistics, expiry. Call [#drain] afterwards.
  public void onTick(long nowNs) {
    if (closed) {
      return;
    }
    flows.at(nowNs);
    path.tick(nowNs);
    fit(nowNs);
    compounds.closeDue(nowNs);
    if (nowNs >= expiryNs) {
      expiryNs = nowNs + EXPIRY_SPACING_NS;
      flows.expire(flow -> endingHere(flow, nowNs));
      histories.expire(nowNs);
    }
    for (int i = 0; i < STATS_ROUNDS_PER_TICK && mayControl(); i++) {
      stats.run(nowNs);
      if (nowNs < controls.dueNs() && nowNs < stats.dueNs()) {
        break;
      }
      compounds.flushControls(nowNs);
    }
  }

  /// The kernel refuses datagrams of so many bytes on their way out (EMSGSIZE); 0: none.
  public void tooLong(int datagramBytes, long nowNs) {
    if (datagramBytes > 0) {
      mtu.tooBig(datagramBytes + terms.outerHeaderBytes(), nowNs);
      fit(nowNs);
    }
  }

  /// Bytes of the outer IP packets that the path carries from here, as far as is known.
  public PathMtuSearch mtu() {
    return mtu;
  }

  private void fit(long nowNs) {
    int size = mtu.size();
    if (size != fittedTo) {
      fittedTo = size;
      compounds.resize(size, nowNs);
      encoder.resize(terms.bodyBytesMax(size));
    }
  }

  /// Control records that travel alone wait while the queue of their class is full.
  private boolean mayControl() {
    return queues.hasRoom(ServiceClass.LT_LD, ControlQueue.BYTES_MAX);
  }

  private void endingHere(FlowState flow, long nowNs) {
    memory.coalescer.flush(flow);
    stats.last(flow, nowNs);
    controls.flowEnd(flow.id(), nowNs);
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
