package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.Verdict;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/// The paths of an end with their sockets, and the session that they carry: takes and releases
/// packets, opens datagrams, and handles what is due. Sessions may follow each other on the same
/// paths. An end has two of these while one session takes the place of another
/// ([SessionSuccession]). Owner: the data path's event loop.
final class CarryingSession {
  /// Hears of the session.
  interface Owner {
    /// Returns the same flow in another session of the end; null if no other one has it.
    @Nullable FlowState flowBeside(CarryingSession than, FlowState flow);

    /// Called for a flow that has opened or ended.
    void flowChanged(CarryingSession of, FlowState flow, boolean isOpen);

    /// Called after each batch, and when the session has ended.
    void counted(CarryingSession of);

    /// Called when the other end has become silent, or is no longer.
    void silenceChanged(CarryingSession of);
  }

  private final DataLoop at;
  private final TunnelRole role;
  private final Owner owner;
  private final TunnelPaths paths;
  private final FlowRoutes routes;
  private final LineMeter meter = new LineMeter();
  private final EndState state = new EndState();
  private volatile @Nullable TunnelSession session; // written by the event loop
  private OwnCounts counts = OwnCounts.NONE;
  private @Nullable QueueRoom room; // of the present session
  private String snapt = "";
  private int ownReceiverIndex;
  private long arrivedNs;
  private @Nullable TunnelSession followed; // whose flows are being passed to this one
  private final DeadlineTimer timer;
  private boolean waiting; // packets were offered since the last flush
  private boolean retired;
  private final PathTotals.Sum totals;

  /// Opens the paths.
  ///
  /// @param totals counts of the paths of all sessions of the end
  /// @throws SocketException if a socket cannot be opened
  CarryingSession(
      DataLoop at,
      TunnelRole role,
      Policy policy,
      Owner owner,
      TunnelPaths.Factory factory,
      PathTotals.Sum totals)
      throws SocketException {
    this.at = at;
    this.role = role;
    this.owner = owner;
    this.paths = factory.open(new Inbound());
    this.routes = new FlowRoutes(policy, paths);
    this.timer = new DeadlineTimer(at, this::tick);
    this.totals = totals;
    totals.opened(paths);
  }

  /// Begins the session of a Welcome. If it is one with the SNAPT of the present session, the flows
  /// of that one go on in it.
  void begin(SessionParameters parameters) {
    long nowNs = at.nowNs();
    TunnelSession begun =
        new TunnelSession(
            role,
            parameters.terms(),
            parameters.settings(),
            at.memory(),
            new FlowObserver(at.classes(), routes, this::flowChanged),
            paths,
            nowNs);
    parameters.terms().secret().wipe();
    TunnelSession before = session;
    if (before != null && !snapt.isEmpty() && parameters.snapt().equals(snapt)) {
      pass(before, begun, "its SNAPT is back", nowNs);
    }
    end();
    snapt = parameters.snapt();
    session = begun;
    state.began(nowNs);
    counts = OwnCounts.of(begun, parameters, at);
    at.carried().begin(begun);
    meter.begin(begun, nowNs);
    ownReceiverIndex = parameters.ownReceiverIndex();
    room = new QueueRoom(parameters.settings().classQueueBytes());
    paths.begin(begun, parameters.peers(), nowNs);
    routes.begin(begun, nowNs);
  }

  private void flowChanged(FlowState flow, boolean isOpen) {
    if (flow.attachment() instanceof FlowNote note) {
      if (isOpen) {
        opened(flow, note);
      } else {
        note.life.ends(flow);
      }
    }
    if (!isOpen) {
      counts.ended(flow, at.nowNs());
    }
    owner.flowChanged(this, flow, isOpen);
  }

  private void opened(FlowState flow, FlowNote note) {
    note.snapt = snapt;
    TunnelSession from = followed;
    FlowState other = from == null ? owner.flowBeside(this, flow) : same(from, flow);
    if (other != null && other.attachment() instanceof FlowNote known) {
      note.goesOn(known);
      flow.classify(note.application.serviceClass(), note.application.index());
    }
    note.life.begins(flow);
  }

  private static @Nullable FlowState same(TunnelSession in, FlowState flow) {
    return in.flows().find(FlowTuple.of(flow).key(), true);
  }

  /// Returns the same flow in the present session; null if it has none.
  @Nullable FlowState same(FlowState flow) {
    TunnelSession in = session;
    return in == null ? null : same(in, flow);
  }

  private void pass(TunnelSession from, TunnelSession to, String why, long nowNs) {
    followed = from;
    MovedFlows.pass(from, to, why, nowNs);
    followed = null;
  }

  /// Takes the place of the session of another SNAPT, at whose public address its flows go on, also
  /// after [#retire].
  void takeOver(CarryingSession from) {
    retired = false;
    TunnelSession before = from.session;
    TunnelSession now = session;
    if (before != null && now != null) {
      long nowNs = at.nowNs();
      pass(before, now, "it has moved with its session", nowNs);
      paths.followRates(from.paths, nowNs);
      routes.flowsMoved(nowNs);
    }
  }

  /// Ends the session; the paths stay.
  void end() {
    TunnelSession ended = session;
    if (ended == null) {
      return;
    }
    count(at.nowNs());
    counts.close();
    counts = OwnCounts.NONE;
    session = null;
    waiting = false;
    owner.counted(this);
    at.carried().retire(ended);
    paths.end();
    ended.close();
  }

  /// Ends the session, and closes the sockets.
  void close() {
    end();
    paths.close();
    totals.closed(paths);
  }

  /// Gets no packet of this host any more. What waits, in a compound or for the rate of a path,
  /// still leaves, what is under way to the session is opened, and the paths are not watched.
  void retire() {
    flushFinally();
    retired = true;
  }

  /// Sends what waits and the last statistics of the flows.
  void flushFinally() {
    TunnelSession of = session;
    if (of != null) {
      long nowNs = at.nowNs();
      of.queueFinalStats(nowNs);
      of.flushBatch(nowNs);
      drain(nowNs);
    }
  }

  // --- packets of this host

  /// Takes a packet of this host, and finds or opens its flow.
  void offer(IpPacket packet, long nowNs) {
    TunnelSession to = session;
    if (to != null) { // null only between two sessions in one iteration of the loop
      offered(to, to.offer(packet, nowNs), packet, nowNs);
    }
  }

  /// Takes a packet of this host that was parsed last, and belongs to this flow.
  void offer(IpPacket packet, FlowState flow, long nowNs) {
    TunnelSession to = session;
    if (to != null) {
      offered(to, to.offer(packet, flow, nowNs), packet, nowNs);
    }
  }

  private void offered(TunnelSession to, Verdict verdict, IpPacket packet, long nowNs) {
    if (verdict == Verdict.PACKET_TOO_BIG) {
      to.answerTooBig(packet, at.writer(), nowNs);
    }
    paths.offered(nowNs);
    waiting = true;
    if (!hasRoom()) {
      flush(nowNs);
    }
  }

  /// Calls [#flush] if packets were offered since the last time.
  void flushOffered(long nowNs) {
    if (waiting) {
      flush(nowNs);
    }
  }

  /// Sends what was offered and need not wait. Called when the TUN has no more packets for now.
  void flush(long nowNs) {
    TunnelSession to = session;
    if (to != null) {
      waiting = false;
      to.flushBatch(nowNs);
      drain(nowNs);
    }
  }

  /// Returns whether the class queues of the session have room.
  boolean hasRoom() {
    TunnelSession in = session;
    QueueRoom of = room;
    return in == null || of == null || of.isIn(in);
  }

  // --- datagrams of the other end

  private final class Inbound implements TunnelPaths.Inbound {
    @Override
    public void burst(long waitedNs) {
      arrivedNs = at.nowNs();
      at.memory().socketWaitNs(waitedNs);
    }

    @Override
    public long arrivedNs() {
      return arrivedNs;
    }

    @Override
    public @Nullable TunnelSession sessionOf(ByteBuf datagram) {
      if (!isFor(datagram)) {
        at.carried().unknownReceiver();
        return null;
      }
      return session;
    }

    @Override
    public InnerPacketSink toHost() {
      return at.toHost();
    }

    @Override
    public boolean opened() {
      return CarryingSession.this.opened();
    }

    @Override
    public void drain() {
      CarryingSession.this.drain(at.nowNs());
    }

    @Override
    public void silenceChanged() {
      noteSilence();
    }
  }

  /// Returns whether a datagram is for this session.
  boolean isFor(ByteBuf datagram) {
    int index =
        DatagramHeader.receiverIndex(datagram, datagram.readerIndex(), datagram.readableBytes());
    return session != null && (index < 0 || index == ownReceiverIndex);
  }

  /// Returns whether the session has this receiver index.
  boolean hasIndex(int index) {
    return session != null && index == ownReceiverIndex;
  }

  /// Opens a datagram that arrived in the control connection. [#controlBatchEnd] follows.
  void controlDatagram(ByteBuf datagram, long nowNs) {
    paths.controlDatagram(datagram, nowNs);
  }

  /// Ends a batch of datagrams of the control connection.
  void controlBatchEnd(long nowNs) {
    opened();
    drain(nowNs);
  }

  private void noteSilence() {
    if (!retired) {
      state.hears(paths.isSilent(), paths.isSuspected(), at.nowNs());
      owner.silenceChanged(this);
    }
  }

  /// Ends a batch of datagrams. @return true if it had packets for this host
  private boolean opened() {
    TunnelSession to = session;
    if (to == null) {
      return false;
    }
    to.openBatchEnd(at.nowNs());
    return at.writer().takeDelivered();
  }

  private void drain(long nowNs) {
    TunnelSession from = session;
    if (from == null) {
      return;
    }
    if (!retired) {
      routes.follow(nowNs); // what waits must know of a change of the paths
    }
    paths.beforeDrain(nowNs);
    from.drain(paths, nowNs);
    count(nowNs);
    if (!retired) {
      paths.afterDrain(nowNs);
    }
    at.drained().run();
    arm(nowNs);
  }

  private void count(long nowNs) {
    meter.note(nowNs);
    owner.counted(this);
    counts.note(nowNs);
  }

  // --- time

  /// Handles what is due.
  void tick() {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    long nowNs = at.nowNs();
    of.onTick(nowNs);
    if (!retired) {
      watchPaths(nowNs);
    }
    drain(nowNs);
  }

  private void watchPaths(long nowNs) {
    paths.tick(nowNs);
    if (state.isSilent() != paths.isSilent() // a change of network begins or ends it as well
        || state.isSuspected() != paths.isSuspected()) {
      noteSilence();
    }
  }

  private void arm(long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    timer.arm(Math.min(of.nextDeadlineNs(), retired ? Long.MAX_VALUE : ownDueNs(nowNs)), nowNs);
  }

  private long ownDueNs(long nowNs) {
    return Math.min(paths.nextTickNs(nowNs), routes.dueNs(nowNs));
  }

  // --- what is known about the SNAPT

  /// Returns what is known about the SNAPT for the choice of a new flow.
  SnaptFacts facts(long nowNs) {
    TunnelSession of = session;
    SnaptFacts.State now = of == null ? SnaptFacts.State.NONE : state.now(paths.isSilent(), nowNs);
    return meter.facts(snapt, now, state.terms().prices(), state.load(), nowNs);
  }

  /// Returns the present session; null before the first one, and after its end. Any thread may call
  /// this.
  @Nullable TunnelSession session() {
    return session;
  }

  /// Returns the name of the SNAPT; empty for a peer, and before the first session.
  String snapt() {
    return snapt;
  }

  TunnelPaths paths() {
    return paths;
  }

  FlowRoutes routes() {
    return routes;
  }

  EndState state() {
    return state;
  }

  LineMeter meter() {
    return meter;
  }

  /// Uses other rules for the paths of all flows.
  void distribute(Policy next) {
    routes.use(next, at.nowNs());
  }
}
