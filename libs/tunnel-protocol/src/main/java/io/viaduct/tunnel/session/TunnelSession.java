package io.viaduct.tunnel.session;

import io.netty.buffer.ByteBuf;
import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTable;
import io.viaduct.tunnel.key.Aead;
import io.viaduct.tunnel.metering.SessionTotals;
import io.viaduct.tunnel.pacing.KnownRate;
import io.viaduct.tunnel.pacing.LinkRate;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.path.PathListener;
import io.viaduct.tunnel.path.PathMtuSearch;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.restore.SegmentCoalescer;
import io.viaduct.tunnel.terms.OuterHeader;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.terms.TunnelSettings;
import io.viaduct.tunnel.terms.TunnelTerms;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.LinkName;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import io.viaduct.tunnel.wire.VerdictCounters;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// One end of one tunnel, for agent and SNAPT. Owned by one event loop; it has no socket, thread or
/// clock of its own.
///
/// Outbound: [#offer] → records → open compound of the class → class queue → [#drain]: seal →
/// burst. Inbound: [#open]: header, replay window, tag → blocks → records → packets →
/// [#openBatchEnd].
public final class TunnelSession implements AutoCloseable {
  private final SessionState state;
  private final OutboundHalf outbound;
  private final PathExchange path;
  private final InboundHalf inbound;
  private final SessionTimers timers;
  private final SegmentCoalescer coalescer;
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
    Aead aead = memory.aead(terms.aead());
    coalescer = memory.restored.coalescer();
    state = new SessionState(role, terms, settings, memory, flowListener);
    outbound = new OutboundHalf(state, settings, memory, aead, nowNs);
    path = new PathExchange(state, outbound, pathListener, memory.random);
    inbound = new InboundHalf(state, outbound, path, memory, aead);
    timers = new SessionTimers(state, outbound, coalescer, nowNs);
    if (terms.limits().hasWaitingTimes()) {
      state.stats.tell(this::waitedNs);
    }
  }

  public FlowTable flows() {
    return state.flows;
  }

  public TunnelTerms terms() {
    return state.terms;
  }

  /// Takes one packet, or one TSO or USO superpacket, from the TUN device, and finds or opens its
  /// flow. The bytes are copied; a congestion mark may be set in place.
  ///
  /// @return QUEUED, or the reason why the packet was dropped; counted
  public Verdict offer(IpPacket packet, long nowNs) {
    Verdict verdict = closed ? Verdict.SESSION_CLOSED : outbound.intake.take(packet, nowNs);
    state.verdicts.count(verdict);
    return verdict;
  }

  /// Returns the flow of the packet that [LoopMemory#parse] has read last; null if this session has
  /// no such flow.
  public @Nullable FlowState flowOfParsed() {
    return closed ? null : outbound.intake.flowOfParsed();
  }

  /// Takes one packet, as [#offer(IpPacket, long)], without reading its headers and searching its
  /// flow again.
  ///
  /// @param packet the one that [LoopMemory#parse] has read last
  /// @param flow the flow that [#flowOfParsed] has returned
  public Verdict offer(IpPacket packet, FlowState flow, long nowNs) {
    Verdict verdict = closed ? Verdict.SESSION_CLOSED : outbound.intake.take(packet, flow, nowNs);
    state.verdicts.count(verdict);
    return verdict;
  }

  /// Refuses offered packets that belong to no flow, or lets them pass again. Packets of a flow:
  /// [io.viaduct.tunnel.flow.FlowState#hold].
  public void holdFlowless(boolean refused) {
    outbound.intake.holdFlowless(refused);
  }

  /// Takes a packet of this end itself, which belongs to no flow and is charged to none.
  public Verdict offerFlowless(IpPacket packet, long nowNs) {
    Verdict verdict = closed ? Verdict.SESSION_CLOSED : outbound.intake.takeFlowless(packet, nowNs);
    state.verdicts.count(verdict);
    return verdict;
  }

  /// Begins a path with the rate that another session knows of a path by the same access link.
  ///
  /// @param path id of the path here
  /// @param theirs id of the path there
  public void followRate(int path, TunnelSession other, int theirs, long nowNs) {
    SessionPath own = outbound.paths.find(path);
    SessionPath before = other.outbound.paths.find(theirs);
    KnownRate known = before == null ? null : before.pacing.pacer().known(nowNs);
    if (own != null && known != null) {
      own.pacing.begin(known, nowNs);
    }
  }

  /// Returns what is known of the rates towards the peer by the links of its paths in use: the
  /// greatest one of a link with several paths.
  public List<LinkRate> linkRates(long nowNs) {
    Map<String, KnownRate> byLink = new LinkedHashMap<>();
    for (SessionPath each : outbound.paths.open()) {
      KnownRate known = each.pacing.pacer().known(nowNs);
      if (known != null && each.use != PathUse.NO && !each.link.equals(LinkName.UNKNOWN)) {
        byLink.merge(
            each.link, known, (one, other) -> one.capacity() < other.capacity() ? other : one);
      }
    }
    return byLink.entrySet().stream()
        .map(each -> new LinkRate(each.getKey(), each.getValue()))
        .toList();
  }

  /// Begins each path whose link the peer names within ten seconds with the rate of that link, as a
  /// session before this one has found it (SNAPT only).
  public void expectRates(List<LinkRate> rates, long nowNs) {
    path.expectRates(rates, nowNs);
  }

  /// Reports the largest size to the sender of a packet that was refused as PACKET_TOO_BIG, if the
  /// RFCs allow an answer.
  ///
  /// @param sink takes the answer towards the sender
  public void answerTooBig(IpPacket packet, InnerPacketSink sink, long nowNs) {
    outbound.paths.first().sizes.answerTooBig(packet, outbound.innerMtu(), sink, nowNs);
  }

  /// Closes the compounds that should not wait. Call it when the TUN device has no more packets for
  /// now.
  public void flushBatch(long nowNs) {
    for (SessionPath each : outbound.paths.open()) {
      each.compounds.batchEnd(nowNs);
    }
  }

  /// Seals the ready compounds of each path by priority, until its sink is not writable.
  ///
  /// @return true if more is ready. Then call it again when a sink, or the control connection, is
  ///   writable.
  public boolean drain(PathSinks sinks, long nowNs) {
    boolean waits = false;
    if (!closed) {
      for (SessionPath each : outbound.paths.open()) {
        waits |= drain(each, sinks.of(each.id), nowNs);
      }
      for (SessionPath each : outbound.paths.open()) {
        waits |= !each.copies.isEmpty() && drain(each.copies, each, sinks.of(each.id), nowNs);
      }
    }
    return waits;
  }

  /// Drains all paths into one sink.
  public boolean drain(DatagramSink sink, long nowNs) {
    boolean waits = false;
    if (!closed) {
      for (SessionPath each : outbound.paths.open()) {
        waits |= drain(each, sink, nowNs);
      }
      for (SessionPath each : outbound.paths.open()) {
        waits |= !each.copies.isEmpty() && drain(each.copies, each, sink, nowNs);
      }
    }
    return waits;
  }

  private boolean drain(SessionPath from, DatagramSink sink, long nowNs) {
    boolean pathWaits = from.messages.drain(sink, control, nowNs);
    boolean byUdp = path.carrier() == Carrier.UDP;
    DatagramSink over = byUdp ? sink : control;
    boolean repeatsWait = !from.repeats.isEmpty() && drain(from.repeats, from, sink, nowNs);
    boolean dataWait =
        over != null
            && (path.carries(from) || path.carriesToBoth(from))
            && outbound.drain(
                from,
                over,
                byUdp ? path.boundTo(from) : null,
                byUdp ? from.link : LinkName.UNKNOWN,
                nowNs);
    from.loss.sent(from.pacing.pacer().sentBytes(), nowNs);
    int tooLong = sink.takeTooLong();
    if (tooLong > 0) {
      from.sizes.tooLong(tooLong, nowNs);
    }
    if (dataWait || from.datagrams.isHeld()) {
      outbound.codecs.limitedByLink(nowNs);
    }
    return pathWaits || repeatsWait || dataWait;
  }

  /// Sends bursts that were sealed for another path. Second copies leave once the first ones have.
  private boolean drain(CopyQueue copies, SessionPath by, DatagramSink sink, long nowNs) {
    if (path.carrier() != Carrier.UDP || !path.carries(by)) {
      copies.clear();
      return false;
    }
    boolean waits = copies.drain(sink, path.boundTo(by), nowNs);
    by.loss.sent(by.pacing.pacer().sentBytes(), nowNs);
    return waits;
  }

  /// Sets the control connection that may carry this session's datagrams from here on. Null
  /// switches the carrier to UDP.
  public void control(@Nullable DatagramSink connection) {
    control = connection;
    if (connection == null) {
      path.controlLost();
    }
  }

  /// Sets the address of the control connection, before the first datagram (SNAPT). If that comes
  /// from there, its path is bound at once; from another address, it proves itself first. Without
  /// this call the first address is bound at once.
  public void bindAtOnceOnly(InetAddress from) {
    path.bindAtOnceOnly(from);
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

  /// Takes one datagram from the socket or the control connection. The SNAPT finds its path by the
  /// source address; the device has one path in this form.
  public Verdict open(
      ByteBuf datagram,
      int offset,
      int length,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    return open(datagram, offset, length, path.pathOf(from), from, sink, nowNs);
  }

  /// Takes one datagram from the socket of a path, or the control connection (agent only).
  ///
  /// @param datagram direct buffer
  /// @param by id of the path, which [#use] has opened
  /// @param from source address, which the binding of a SNAPT's session follows. Null if the
  ///   datagram came by the control connection.
  /// @return the verdict; counted. All except ACCEPTED have changed nothing.
  public Verdict open(
      ByteBuf datagram,
      int offset,
      int length,
      int by,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    return open(datagram, offset, length, outbound.paths.find(by), from, sink, nowNs);
  }

  private Verdict open(
      ByteBuf datagram,
      int offset,
      int length,
      @Nullable SessionPath by,
      @Nullable InetSocketAddress from,
      InnerPacketSink sink,
      long nowNs) {
    Verdict verdict = Verdict.SESSION_CLOSED;
    if (!closed) {
      verdict = inbound.receiver.receive(datagram, offset, length, by, from, sink, nowNs);
      outbound.fit(nowNs);
    }
    state.verdicts.count(verdict);
    return verdict;
  }

  /// Returns whether the datagrams of a path go to an address for which a test holds (SNAPT).
  public boolean isBoundTo(Predicate<InetSocketAddress> test) {
    for (SessionPath each : outbound.paths.open()) {
      InetSocketAddress to = path.boundTo(each);
      if (to != null && test.test(to)) {
        return true;
      }
    }
    return false;
  }

  /// Returns whether the answers to the probes of one path fill their queue. Call [#drain] before
  /// the next [#open], or the oldest answer is dropped.
  public boolean isFullOfAnswers() {
    for (SessionPath each : outbound.paths.open()) {
      if (each.messages.isFull()) {
        return true;
      }
    }
    return false;
  }

  /// Delivers coalesced packets. Call it when the socket has no more datagrams for now.
  public void openBatchEnd(long nowNs) {
    coalescer.flushAll();
    if (!closed) {
      path.acknowledge(nowNs);
    }
  }

  /// Starts an interval of [#spareBytesToPeer] and [#spareBytesFromPeer].
  public void startSpare(long nowNs) {
    for (SessionPath each : outbound.paths.open()) {
      each.pacing.startSpare(nowNs);
      if (each.trials != null) {
        each.trials.start();
      }
    }
  }

  /// Returns the bytes of outer IP packets that the best path could have carried towards the peer
  /// beside its load, in the interval.
  public double spareBytesToPeer(long nowNs) {
    double most = 0;
    for (SessionPath each : outbound.paths.usable()) {
      most = Math.max(most, each.pacing.spareToPeer(nowNs));
    }
    return most;
  }

  /// Returns the same of the direction from the peer, by what has arrived here. 0 at the device.
  public double spareBytesFromPeer(long nowNs) {
    double most = 0;
    for (SessionPath each : outbound.paths.usable()) {
      most = Math.max(most, each.pacing.spareFromPeer(nowNs));
    }
    return most;
  }

  /// Returns the longest time of the interval in which a path was full from the peer, in ns, by
  /// what has arrived here. 0 at the device.
  public long fullFromPeerNs() {
    long most = 0;
    for (SessionPath each : outbound.paths.usable()) {
      most = Math.max(most, each.pacing.fullFromPeerNs());
    }
    return most;
  }

  /// Returns the bytes of outer IP packets that have arrived in the interval by the usable paths.
  public long arrivedInInterval() {
    long bytes = 0;
    for (SessionPath each : outbound.paths.usable()) {
      bytes += each.pacing.arrivedInInterval();
    }
    return bytes;
  }

  /// Returns the longest mean round trip of a path in the interval, in µs, as this end has measured
  /// it itself; 0 if the device has answered nothing, NaN without the feature PATH_TRIALS, before
  /// the first answer, and at the device.
  public double ownRoundTripUs() {
    double most = Double.NaN;
    for (SessionPath each : outbound.paths.usable()) {
      double its = each.trials == null ? Double.NaN : each.trials.roundTripUs();
      most = its <= most ? most : Double.isNaN(its) ? most : its;
    }
    return most;
  }

  /// Returns the time for which a flow has had packets that waited for its path, in ns since it
  /// opened.
  public long waitedNs(FlowState flow, long nowNs) {
    int id = flow.waitsFor();
    SessionPath path = outbound.paths.find(id);
    return flow.waitedNs(id, path == null ? 0 : path.datagrams.waitedNs(nowNs));
  }

  /// Returns the time at which [#onTick] must be called, Long.MAX_VALUE for never.
  public long nextDeadlineNs() {
    if (closed) {
      return Long.MAX_VALUE;
    }
    long next = Math.min(timers.dueNs(), inbound.restorer.dueNs());
    for (SessionPath each : outbound.paths.open()) {
      // Datagrams of a path that leads nowhere now wait for the path, and not for a time.
      boolean leads = path.carries(each) || path.carriesToBoth(each);
      long heldUntilNs = leads ? each.datagrams.heldUntilNs() : Long.MAX_VALUE;
      next = Math.min(next, Math.min(heldUntilNs, each.mtu.nextTickNs()));
      next = Math.min(next, Math.min(each.copies.heldUntilNs(), each.repeats.heldUntilNs()));
      next = Math.min(next, each.movingUntilNs);
    }
    return next;
  }

  /// Handles deadlines, statistics and expiry. Call [#drain] afterwards.
  public void onTick(long nowNs) {
    if (closed) {
      return;
    }
    path.tick(nowNs);
    outbound.fit(nowNs);
    timers.tick(nowNs);
    inbound.restorer.tick(nowNs);
    coalescer.flushAll();
  }

  /// Queues the agent's last FLOW_STATS, because the session is about to end. They leave with the
  /// next [#drain], as many as their class's queue takes. Without them the SNAPT would not know
  /// delay and loss of the last one to five seconds, on which the price depends.
  public void queueFinalStats(long nowNs) {
    if (!closed) {
      timers.queueFinalStats(nowNs);
    }
  }

  /// Ends a flow here, because another session has it from now on. The peer gets its counters and
  /// its end, if it still listens.
  public void giveUp(FlowState flow, long nowNs) {
    if (!closed) {
      timers.giveUp(flow, nowNs);
    }
  }

  /// Sets the use of a path, and opens it if it is new (agent only). What waits for a path without
  /// use leaves by another one. The next probe, which the caller sends now, tells the SNAPT.
  ///
  /// @param id 0 up to the number that the handshake allows, exclusive
  public void use(int id, PathUse use, long nowNs) {
    path.use(id, use, nowNs);
  }

  /// Sets the address family of a path, and opens the path if it is new (agent only; a SNAPT takes
  /// it from the binding). What waits and no longer fits into a datagram leaves in fragments.
  public void outer(int id, OuterHeader header, long nowNs) {
    outbound.paths.open(id).sizes.header(header, nowNs);
  }

  /// Sets the link of a path, and opens the path if it is new (agent only). The next probes of the
  /// path tell the SNAPT, until one of them is answered, if both ends have the feature LINK_NAMES.
  ///
  /// @param name checked by [LinkName#of]
  public void link(int id, String name) {
    outbound.paths.open(id).leadsOver(name);
  }

  /// Returns whether both ends know a route.
  ///
  /// @param route id of a path, or a value of [io.viaduct.tunnel.flow.FlowRoute]
  public boolean knows(int route) {
    return state.terms.limits().knows(route);
  }

  /// Returns whether flows of a protocol may travel by all paths, packet by packet.
  ///
  /// @param protocol IP protocol number
  public boolean spreads(int protocol) {
    return state.terms.limits().spreads(protocol);
  }

  /// Lets a flow take the paths of a rule, in both directions (agent only). A peer that does not
  /// know two paths, or flows that are spread, chooses itself. Repeating the call tells the SNAPT
  /// again, because the record may be lost.
  ///
  /// @param route id of a path, or a value of [io.viaduct.tunnel.flow.FlowRoute]
  /// @return false if the SNAPT is not told now, because too many control records wait: the caller
  ///   repeats the call
  public boolean route(FlowState flow, int route, long nowNs) {
    flow.route(knows(route) ? route : FlowRoute.ANY);
    return !outbound.paths.areMany()
        || state.controls.flowRoute(flow.id(), state.terms.limits().told(flow.route()), nowNs);
  }

  /// Returns how often the use of a path has changed, or the paths that packets may leave by.
  public int pathChanges() {
    return outbound.paths.changes();
  }

  /// Returns the number of paths that the handshake allows.
  public int pathsMax() {
    return outbound.paths.most();
  }

  /// Returns the bytes of the packets that were given to a path so far; 0 for a path that was never
  /// open.
  public long offeredBytes(int id) {
    SessionPath path = outbound.paths.find(id);
    return path == null ? 0 : path.offeredBytes;
  }

  /// Returns the state of each path that was ever open.
  public List<PathState> paths(long nowNs) {
    return Arrays.stream(outbound.paths.open())
        .map(each -> PathState.of(each, path, nowNs))
        .toList();
  }

  /// Returns whether more than one path leads to the peer, spare ones included.
  public boolean hasSeveralPaths() {
    return outbound.paths.areSeveralInUse();
  }

  /// Returns the search for the size of outer IP packets on the nearest path from here.
  public PathMtuSearch mtu() {
    return outbound.choice.nearest().mtu;
  }

  /// Queues a PROBE of a path for the next [#drain], by this carrier (agent only).
  public void probe(int id, Carrier by, long nowNs) {
    path.probe(id, by, nowNs);
  }

  /// Leaves a path, or takes it again, by this end's own finding (SNAPT, or the listening peer):
  /// nothing arrives by it, or its link is gone. What waits for it leaves by another path.
  public void silent(int id, boolean silent, long nowNs) {
    SessionPath found = outbound.paths.find(id);
    if (found != null && found.silent != silent) {
      path.silent(found, silent, nowNs);
    }
  }

  /// Forgets all measurements of a path, because the network under it has changed.
  public void pathChanged(int id) {
    SessionPath changed = outbound.paths.find(id);
    if (changed != null) {
      changed.probes.forget();
      changed.changed();
    }
  }

  /// Returns whether queues stand here, at the rate of a path, and not in the path. Then excess
  /// packets are dropped by class, and the TUN device should still be read.
  public boolean isPaced() {
    for (SessionPath each : outbound.paths.usable()) {
      if (each.pacing.pacer().isLimiting()) {
        return true;
      }
    }
    return false;
  }

  /// Returns the rate of outer IP packets that pacing allows now on all paths in use together, in
  /// bit/s; infinite without a limit.
  public double pacedBitPerSecond() {
    double bytesPerSecond = 0;
    for (SessionPath each : outbound.paths.usable()) {
      bytesPerSecond += each.pacing.pacer().bytesPerSecond();
    }
    return bytesPerSecond * 8;
  }

  /// Returns the rate of [#pacedBitPerSecond] as far as it is known now; infinite also if no
  /// receipt has confirmed the rate of a path for 10 s.
  public double confirmedBitPerSecond(long nowNs) {
    double bytesPerSecond = 0;
    for (SessionPath each : outbound.paths.usable()) {
      bytesPerSecond += each.pacing.pacer().confirmedPerSecond(nowNs);
    }
    return bytesPerSecond * 8;
  }

  /// Returns the address of the SNAPT's datagrams on the nearest path, null before the first
  /// authentic datagram. Null for the agent.
  public @Nullable InetSocketAddress binding() {
    return path.boundTo(outbound.choice.nearest());
  }

  /// Returns the address of this end's datagrams on a path, null before the path is bound, and for
  /// the agent.
  public @Nullable InetSocketAddress bindingOf(int id) {
    SessionPath found = outbound.paths.find(id);
    return found == null ? null : path.boundTo(found);
  }

  /// Returns the smoothed round trip of the nearest path in µs, measured by the agent's probes and
  /// shared with the SNAPT; NaN before.
  public double roundTripUs() {
    return outbound.choice.nearest().roundTripUs();
  }

  /// Returns whether the round trip of a path is clearly above its usual one (agent only).
  public boolean getsWorse(int id) {
    SessionPath path = outbound.paths.find(id);
    return path != null && path.probes.isWorse();
  }

  /// Returns the id of the path that packets which count delay, and control records, take.
  public int nearestPath() {
    return outbound.choice.nearest().id;
  }

  /// Returns the reason for which the packets of a flow take their path now.
  public PathReason reasonOf(FlowState flow, long nowNs) {
    return outbound.choice.reason(flow, nowNs);
  }

  /// Returns the bound on the error of each one-way delay in µs; NaN before the first probe.
  public double delayErrorUs() {
    return state.peerClock.errorBoundUs();
  }

  /// Returns the counters of this session; read only.
  public VerdictCounters verdicts() {
    return state.verdicts;
  }

  /// Returns the least number of datagrams that the other end has sent, from its sequence numbers.
  /// The difference from [SessionTotals#receivedDatagrams] is lost, late or incomplete.
  public long expectedDatagrams() {
    return inbound.expectedDatagrams();
  }

  public SessionTotals totals() {
    return state.totals;
  }

  /// Returns the bytes of closed compounds in the queue of a class.
  public int queuedBytes(ServiceClass serviceClass) {
    int bytes = 0;
    for (SessionPath each : outbound.paths.open()) {
      bytes += each.queues.bytes(serviceClass);
    }
    return bytes;
  }

  /// Ends every flow, gives the memory back and wipes the keys.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    coalescer.flushAll();
    state.flows.endAll(FlowEnd.SESSION_CLOSED);
    outbound.close();
    state.histories.close();
    inbound.close();
  }
}
