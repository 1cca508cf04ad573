package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.codec.ClassCodecs;
import io.viaduct.tunnel.compound.BlockCompressor;
import io.viaduct.tunnel.compound.CompoundWriter;
import io.viaduct.tunnel.compound.ControlQueue;
import io.viaduct.tunnel.compound.PacketEncoder;
import io.viaduct.tunnel.dictionary.SessionHistories;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.fragment.BodyLimit;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.key.AeadAlgorithm;
import io.viaduct.tunnel.key.Direction;
import io.viaduct.tunnel.key.KeyChain;
import io.viaduct.tunnel.key.Opener;
import io.viaduct.tunnel.key.Sealer;
import io.viaduct.tunnel.metering.FlowStatsSchedule;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.pacing.Pacer;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.restore.ControlReceiver;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.restore.PacketRestorer;
import io.viaduct.tunnel.restore.SegmentClamp;
import io.viaduct.tunnel.scheduling.ClassQueues;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// One end of one tunnel, for agent and SNAPT. Owned by one event loop; it has no socket, thread or
/// clock of its own.
///
/// Outbound: [#offer] → records → open compound of the class → class queue → [#drain]: seal →
/// burst. Inbound: [#open]: header, replay window, tag → blocks → records → packets →
/// [#openBatchEnd].
public final class TunnelSession implements AutoCloseable {
  private final TunnelTerms terms;
  private final LoopMemory memory;
  private final Sealer sealer;
  private final Opener opener;
  private final VerdictCounters verdicts = new VerdictCounters();
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

  /// Creates a session.
  ///
  /// @param settings settings of this end
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
            agent,
            memory,
            flows,
            flowListener,
            stats,
            pacing,
            codecs,
            compounds,
            encoder,
            sealer,
            bodies,
            verdicts);
    sizes = new PacketSizes(terms, mtu, memory, compounds, encoder, verdicts);
    datagrams = new DatagramWriter(memory, aead, sealer, queues, pacer, totals, terms, mtu, nowNs);
    PacketRestorer restorer =
        new PacketRestorer(
            memory.restored,
            flows,
            controls,
            stats,
            totals,
            verdicts,
            histories.received(),
            new ControlReceiver(
                flows, sealer, memory.restored.coalescer(), histories.sent(), bodies),
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
            flows,
            stats,
            controls,
            compounds,
            queues,
            histories,
            memory.restored.coalescer(),
            nowNs);
  }

  public FlowTable flows() {
    return flows;
  }

  public TunnelTerms terms() {
    return terms;
  }

  /// Takes one packet, or one TSO or USO superpacket, from the TUN device, and finds or opens its
  /// flow. The bytes are copied; a congestion mark may be set in place.
  ///
  /// @return QUEUED, or the reason why the packet was dropped; counted
  public Verdict offer(IpPacket packet, long nowNs) {
    Verdict verdict = closed ? Verdict.SESSION_CLOSED : intake.take(packet, nowNs);
    verdicts.count(verdict);
    return verdict;
  }

  /// Takes a packet of this end itself, which belongs to no flow and is charged to none.
  public Verdict offerFlowless(IpPacket packet, long nowNs) {
    Verdict verdict = closed ? Verdict.SESSION_CLOSED : intake.takeFlowless(packet, nowNs);
    verdicts.count(verdict);
    return verdict;
  }

  /// Reports the largest size to the sender of a packet that was refused as PACKET_TOO_BIG, if the
  /// RFCs allow an answer.
  ///
  /// @param sink takes the answer towards the sender
  public void answerTooBig(IpPacket packet, InnerPacketSink sink, long nowNs) {
    sizes.answerTooBig(packet, sink, nowNs);
  }

  /// Closes the compounds that should not wait. Call it when the TUN device has no more packets for
  /// now.
  public void flushBatch(long nowNs) {
    compounds.batchEnd(nowNs);
  }

  /// Seals the ready compounds by priority, until the sink is not writable.
  ///
  /// @return true if more is ready. Then call it again when the sink, or the control connection, is
  ///   writable.
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

  /// Sets the control connection that may carry this session's datagrams from here on. Null
  /// switches the carrier to UDP.
  public void control(@Nullable DatagramSink connection) {
    control = connection;
    if (connection == null) {
      path.controlLost();
    }
  }

  /// Switches to a carrier and asks the SNAPT to do the same (agent only). The caller repeats it
  /// while the SNAPT's data come by the other carrier.
  public void carryBy(Carrier chosen) {
    path.carryBy(chosen, control != null);
  }

  /// Returns the present carrier of datagrams.
  public Carrier carrier() {
    return path.carrier();
  }

  /// Takes one datagram from the socket or the control connection.
  ///
  /// @param datagram direct buffer
  /// @param from source address, which the binding of a SNAPT's session follows. Null if the
  ///   datagram came by the control connection.
  /// @return the verdict; counted. All except ACCEPTED have changed nothing.
  public Verdict open(
      ByteBuf datagram,
      int offset,
      int length,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    Verdict verdict = receive(datagram, offset, length, from, sink, nowNs);
    verdicts.count(verdict);
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

  /// Delivers coalesced packets. Call it when the socket has no more datagrams for now.
  public void openBatchEnd(long nowNs) {
    memory.restored.coalescer().flushAll();
    if (!closed) {
      path.acknowledge(nowNs);
    }
  }

  /// Returns the time at which [#onTick] must be called, Long.MAX_VALUE for never.
  public long nextDeadlineNs() {
    if (closed) {
      return Long.MAX_VALUE;
    }
    return Math.min(Math.min(datagrams.heldUntilNs(), mtu.nextTickNs()), timers.dueNs());
  }

  /// Handles deadlines, statistics and expiry. Call [#drain] afterwards.
  public void onTick(long nowNs) {
    if (closed) {
      return;
    }
    flows.at(nowNs);
    path.tick(nowNs);
    sizes.fit(nowNs);
    timers.tick(nowNs);
  }

  /// Queues the agent's last FLOW_STATS, because the session is about to end. They leave with the
  /// next [#drain], as many as their class's queue takes. Without them the SNAPT would not know
  /// delay and loss of the last one to five seconds, on which the price depends.
  public void queueFinalStats(long nowNs) {
    if (!closed) {
      timers.queueFinalStats(nowNs);
    }
  }

  /// Takes the kernel's refusal to send datagrams of so many bytes (EMSGSIZE). 0 means no refusal.
  public void tooLong(int datagramBytes, long nowNs) {
    if (datagramBytes > 0) {
      sizes.tooLong(datagramBytes, nowNs);
    }
  }

  /// Returns the search for the size of outer IP packets that the path carries from here.
  public PathMtuSearch mtu() {
    return mtu;
  }

  /// Queues a PROBE for the next [#drain], by this carrier (agent only).
  public void probe(Carrier by, long nowNs) {
    path.probe(by, nowNs);
  }

  /// Forgets all measurements, because the network under the tunnel has changed.
  public void pathChanged() {
    path.changed();
  }

  /// Returns whether queues stand here, at the path's rate, and not in the path. Then excess
  /// packets are dropped by class, and the TUN device should still be read.
  public boolean isPaced() {
    return pacing.pacer().isLimiting();
  }

  /// Returns the rate of outer IP packets that pacing allows now, in bit/s; infinite without a
  /// limit.
  public double pacedBitPerSecond() {
    return pacing.pacer().bytesPerSecond() * 8;
  }

  /// Returns the address of the SNAPT's datagrams, null before the first authentic datagram. Null
  /// for the agent.
  public @Nullable InetSocketAddress binding() {
    return path.boundTo();
  }

  /// Returns the smoothed round trip in µs, measured by the agent's probes and shared with the
  /// SNAPT; NaN before.
  public double roundTripUs() {
    return path.roundTripUs();
  }

  /// Returns the counters of this session; read only.
  public VerdictCounters verdicts() {
    return verdicts;
  }

  /// Returns the least number of datagrams that the other end has sent, from its sequence numbers.
  /// The difference from [SessionTotals#receivedDatagrams] is lost, late or incomplete.
  public long expectedDatagrams() {
    return opener.highest() + 1;
  }

  public SessionTotals totals() {
    return totals;
  }

  /// Returns the bytes of closed compounds in the queue of a class.
  public int queuedBytes(ServiceClass serviceClass) {
    return queues.bytes(serviceClass);
  }

  /// Ends every flow, gives the memory back and wipes the keys.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    memory.restored.coalescer().flushAll();
    flows.endAll(FlowEnd.SESSION_CLOSED);
    compounds.discard();
    histories.close();
    receiver.close();
    sealer.wipe();
    opener.wipe();
  }
}
