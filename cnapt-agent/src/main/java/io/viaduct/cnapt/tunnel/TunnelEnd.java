package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.FlowPlacement;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.snapts.SnaptFacts;
import io.viaduct.cnapt.snapts.SnaptTerms;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.restore.InnerPacketSink;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.DatagramHeader;
import io.viaduct.tunnel.wire.IpPacket;
import io.viaduct.tunnel.wire.ServiceClass;
import io.viaduct.tunnel.wire.Verdict;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// This host's end of the tunnel to one SNAPT, or to a peer: the session with its paths, counts and
/// timers.
///
///     up    offer → (flow, class, compound, seal) → drain → UDP
///     down  UDP → receiver → open → (verify, inflate, restore) → TUN
///
/// While a network blocks UDP, the control connection carries the datagrams ([TunnelPaths]). All
/// methods run on the data path's event loop, unless documented otherwise.
public final class TunnelEnd {
  // After a pause was requested, one wake-up of the TUN may still deliver a superpacket.
  private static final int ROOM_BYTES_MIN = 128 * 1024;

  private final DataLoop at;
  private final TunnelRole role;
  private final FlowChanges flowChanges;
  private final DataPathListener listener;
  private final FlowRoutes routes;
  private final TunnelPaths paths;
  private final LineMeter meter = new LineMeter();
  private final EndState state = new EndState();
  private final Retirement retirement;
  private volatile @Nullable TunnelSession session; // written by the event loop
  private @Nullable SessionCounter counter;
  private List<Integer> classQueueBytes = List.of();
  private String name = "";
  private int ownReceiverIndex;
  private long arrivedNs;
  private long armedNs = Long.MAX_VALUE;
  private boolean waiting; // packets were offered since the last flush
  private boolean closed;

  /// Hears of the flows of an end, beside the class and the path that each gets.
  interface FlowChanges {
    /// Ignores all flows.
    FlowChanges NONE = (_, _, _) -> {};

    /// Called when the session of an end is over, and its SNAPT is not expected again.
    default void gone(TunnelEnd end) {}

    /// Called for a flow that has opened or ended.
    void changed(TunnelEnd of, FlowState flow, boolean isOpen);

    /// Returns a listener that tells this one and another one.
    default FlowChanges and(FlowChanges other) {
      FlowChanges first = this;
      return new FlowChanges() {
        @Override
        public void changed(TunnelEnd of, FlowState flow, boolean isOpen) {
          first.changed(of, flow, isOpen);
          other.changed(of, flow, isOpen);
        }

        @Override
        public void gone(TunnelEnd end) {
          first.gone(end);
          other.gone(end);
        }
      };
    }
  }

  /// Makes the paths of an end.
  interface Sockets {
    /// @param inbound takes what arrives
    /// @throws SocketException if a socket cannot be opened
    TunnelPaths open(TunnelPaths.Inbound inbound) throws SocketException;
  }

  /// Opens the paths.
  ///
  /// @throws SocketException if a socket cannot be opened
  TunnelEnd(
      DataLoop at,
      TunnelRole role,
      Policy policy,
      FlowChanges flowChanges,
      DataPathListener listener,
      Sockets sockets)
      throws SocketException {
    this.at = at;
    this.role = role;
    this.flowChanges = flowChanges;
    this.listener = listener;
    this.retirement = new Retirement(at);
    this.paths = sockets.open(new Inbound());
    this.routes = new FlowRoutes(policy, paths);
  }

  /// Returns the status of each path of the present session.
  List<PathStatus> pathStatus(long nowNs) {
    return paths.status(nowNs).stream().map(each -> each.to(name)).toList();
  }

  /// Returns the line of the policy that decides about a flow, and what it holds on to.
  FlowPlacement placement(FlowState flow, FlowNote note) {
    return routes.placement(flow, note);
  }

  /// Installs the session of a Welcome, and starts to carry packets with its keys.
  public void install(SessionParameters parameters) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    endSession();
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
    name = parameters.snapt();
    session = begun;
    state.began(nowNs);
    counter =
        parameters.counts() == null ? null : new SessionCounter(begun, parameters.counts(), nowNs);
    at.carried().begin(begun);
    meter.begin(begun, nowNs);
    ownReceiverIndex = parameters.ownReceiverIndex();
    classQueueBytes = parameters.settings().classQueueBytes();
    paths.begin(begun, parameters.peers(), nowNs);
    routes.begin(begun);
    retirement.passFlowsTo(begun, nowNs);
    at.begun().run();
    tick();
  }

  /// Keeps the present session for what is under way to it, because another SNAPT takes it over:
  /// [#install] follows.
  public void retire() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    flushFinally(of);
    retirement.begin(of, counter, ownReceiverIndex);
    session = null;
    counter = null;
    waiting = false;
    paths.end();
  }

  /// Returns whether a session that another SNAPT has taken over is kept.
  boolean isRetiring() {
    return retirement.isUnderWay();
  }

  private void flowChanged(FlowState flow, boolean isOpen) {
    if (isOpen) {
      state.opened();
    }
    flowChanges.changed(this, flow, isOpen);
  }

  /// Changes the SNAPT's addresses within the same session. Paths to an address that stays go on.
  public void peersMoved(Remotes peers) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    paths.peers(peers, at.nowNs());
    tick();
  }

  /// Returns links in the order in which the control connection should try them: those by which the
  /// SNAPT answers first, spare ones last. Any thread may call this.
  public List<UsableLink> ranked(List<UsableLink> links) {
    return paths.ranked(links);
  }

  /// Takes a difference of the links that may be used: each of them gets a path.
  void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now) {
    state.expect(at.nowNs());
    paths.linkChanged(before, now, at.nowNs());
    tick();
  }

  /// Sets the session's control connection, which may carry datagrams.
  public void control(ControlLine.Connection connection) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    paths.control(connection, at.nowNs());
    tick();
  }

  /// Removes the control connection, because it is lost.
  public void controlLost() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    paths.control(null, at.nowNs());
    tick();
  }

  /// Opens and releases datagrams that arrived in the control connection.
  public void controlDatagrams(List<ByteBuf> datagrams) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    long nowNs = at.nowNs();
    at.memory().socketWaitNs(0);
    for (ByteBuf datagram : datagrams) {
      paths.controlDatagram(datagram, nowNs);
      datagram.release();
    }
    opened();
    drain(nowNs);
  }

  /// Takes what the SNAPT tells about itself.
  ///
  /// @param draining true if new flows should go elsewhere; the listener hears when the last flow
  ///   is over
  /// @param share its load, 0 to 1
  public void told(boolean draining, double share) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    state.told(draining, share);
    stateTold();
  }

  /// Lets new flows go elsewhere although the SNAPT serves, because a nearer one is free, or takes
  /// them again. The listener hears when the last flow is over.
  public void seeksNearer(boolean another) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    state.seeks(another);
    stateTold();
  }

  private void stateTold() {
    at.stateChanged().run();
    noteFlows();
  }

  /// Returns the smoothed round trip to the SNAPT in ms, at most some seconds old while packets are
  /// carried; NaN before the first one. Any thread may call this.
  public double roundTripMs() {
    return meter.roundTripMs();
  }

  /// Takes what the SNAPT tells about its line towards here.
  ///
  /// @param bitPerSecond rate of outer IP packets; 0 while it does not limit
  /// @param queuedBytes bytes that wait there, by class
  public void lineRate(long bitPerSecond, List<Long> queuedBytes) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    meter.told(bitPerSecond, queuedBytes);
  }

  /// Takes what a list says about the SNAPT.
  public void terms(SnaptTerms told) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    state.terms(told);
  }

  private void noteFlows() {
    TunnelSession of = session;
    if (of == null) {
      state.hasNone();
    } else if (state.hasNow(of.flows().size())) {
      listener.emptied();
    }
  }

  /// Returns whether the SNAPT is to be left and has no flow of this host any more. Any thread may
  /// call this.
  public boolean isEmptied() {
    return state.isEmptied();
  }

  /// Returns whether the SNAPT is about to stop, or a nearer one is free. Any thread may call this.
  public boolean isLeaving() {
    return state.isLeaving();
  }

  /// Ends the session, because this host can do without it. Another one begins with [#install].
  public void rest() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    finish();
    state.stays();
    paths.control(null, at.nowNs());
    flowChanges.gone(this);
    at.stateChanged().run();
  }

  /// Tells the applications that the flows of this end are over, because the SNAPT will not come
  /// back or another one is here instead, and ends the session. Another one begins with [#install].
  ///
  /// @return number of flows
  public int abandon() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    TunnelSession of = session;
    int flows = of == null ? 0 : at.refusals().lost(of, at.nowNs());
    rest();
    return flows;
  }

  /// Returns whether nothing comes from the SNAPT. Any thread may call this.
  public boolean isSilent() {
    return state.isSilent();
  }

  /// Returns whether flows are open, and datagrams come from the SNAPT. Any thread may call this.
  public boolean carriesFlows() {
    return state.carriesFlows();
  }

  /// Returns the inner bytes of the present session, in both directions. Any thread may call this.
  public long carriedBytes() {
    TunnelSession of = session;
    return of == null ? 0 : of.totals().preBytes();
  }

  void networkChanged() {
    state.expect(at.nowNs());
    paths.networkChanged(at.nowNs());
    tick();
  }

  void awake() {
    state.expect(at.nowNs());
    paths.awake(at.nowNs());
    tick();
  }

  // --- packets of this host

  /// Returns the flow of the packet that was parsed last, null if it is none of this end.
  @Nullable FlowState flowOfParsed() {
    TunnelSession of = session;
    return of == null ? null : of.flowOfParsed();
  }

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

  /// Returns whether the queue of every class has room. While the path's rate is known, the session
  /// limits its queues itself and takes every packet: the excess of one class is dropped, and the
  /// other classes must still be read.
  boolean hasRoom() {
    TunnelSession in = session;
    if (in == null || in.isPaced()) {
      return true;
    }
    for (int c = 0; c < ServiceClass.COUNT; c++) { // values() would allocate an array per packet
      int most = classQueueBytes.get(c);
      if (in.queuedBytes(ServiceClass.of(c)) + Math.min(ROOM_BYTES_MIN, most / 2) > most) {
        return false;
      }
    }
    return true;
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
      int index =
          DatagramHeader.receiverIndex(datagram, datagram.readerIndex(), datagram.readableBytes());
      TunnelSession to = session;
      if (to == null || (index >= 0 && index != ownReceiverIndex)) {
        if (!retirement.opens(datagram)) {
          at.carried().unknownReceiver();
        }
        return null;
      }
      return to;
    }

    @Override
    public InnerPacketSink toHost() {
      return at.toHost();
    }

    @Override
    public boolean opened() {
      return TunnelEnd.this.opened();
    }

    @Override
    public void drain() {
      TunnelEnd.this.drain(at.nowNs());
    }

    @Override
    public void silenceChanged() {
      noteSilence();
    }
  }

  private void noteSilence() {
    state.hears(paths.isSilent(), at.nowNs());
    at.stateChanged().run();
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
    paths.beforeDrain(nowNs);
    from.drain(paths, nowNs);
    count(nowNs);
    paths.afterDrain(nowNs);
    at.drained().run();
    arm(nowNs);
  }

  private void count(long nowNs) {
    meter.note(nowNs);
    noteFlows();
    SessionCounter of = counter;
    if (of != null) {
      of.note(nowNs);
    }
  }

  // --- time

  private void tick() {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    long nowNs = at.nowNs();
    of.onTick(nowNs);
    paths.tick(nowNs);
    if (state.isSilent()
        != paths.isSilent()) { // a change of network begins or ends a silence as well
      noteSilence();
    }
    drain(nowNs);
  }

  private void arm(long nowNs) {
    TunnelSession of = session;
    if (of == null || closed) {
      return;
    }
    long due = Math.min(of.nextDeadlineNs(), paths.nextTickNs(nowNs));
    if (due < armedNs) {
      armedNs = due;
      at.loop().schedule(() -> fired(due), Math.max(0, due - nowNs), TimeUnit.NANOSECONDS);
    }
  }

  private void fired(long due) {
    if (due == armedNs) {
      armedNs = Long.MAX_VALUE;
      at.memory().timerLateness().fired(at.nowNs() - due);
      tick();
    }
  }

  private void endSession() {
    TunnelSession ended = session;
    if (ended == null) {
      return;
    }
    count(at.nowNs());
    session = null;
    counter = null;
    waiting = false;
    noteFlows();
    at.carried().retire(ended);
    paths.end();
    ended.close();
  }

  // --- what is shown, and what decides about new flows

  /// Returns what is known about the SNAPT for the choice of a new flow.
  SnaptFacts facts(long nowNs) {
    TunnelSession of = session;
    SnaptFacts.State now = of == null ? SnaptFacts.State.NONE : state.now(paths.isSilent());
    return meter.facts(name, now, state.terms().prices(), state.load(), nowNs);
  }

  /// Returns whether new flows may have this SNAPT.
  boolean isCarrying() {
    return session != null && !paths.isSilent() && !state.isLeaving();
  }

  /// Returns whether flows that belong together stay here: the SNAPT does not drain, and answers,
  /// or its first answer is awaited, after a change of network or in a new session. That another
  /// one is nearer separates no flows.
  boolean keepsTies(long nowNs) {
    return session != null && state.keepsTies(paths.isSilent(), nowNs);
  }

  /// Returns whether a flow stays here: the SNAPT answers, or the remote host knows the flow by the
  /// SNAPT's address. It does if it has answered, and probably if the flow goes in one direction
  /// only: it has sent several packets, and began some round trips before the silence.
  boolean keeps(FlowState flow) {
    return flow.received().packets() > 0
        || !paths.isSilent()
        || state.isKnownThere(flow, roundTripMs());
  }

  /// Ends a flow that another end has from now on.
  void giveUp(FlowState flow, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      of.giveUp(flow, nowNs);
    }
  }

  @Nullable TunnelSession session() {
    return session;
  }

  TunnelPaths paths() {
    return paths;
  }

  /// Returns the name of the SNAPT; empty for a peer, and before the first session.
  public String name() {
    return name;
  }

  TunnelRole role() {
    return role;
  }

  void distribute(Policy next) {
    routes.use(next, at.nowNs());
  }

  /// Sends the last statistics of the flows, and ends the session. The sockets are closed.
  public void close() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    if (closed) {
      return;
    }
    closed = true;
    finish();
    retirement.end();
    paths.close();
  }

  private void finish() {
    TunnelSession of = session;
    if (of != null) {
      flushFinally(of);
    }
    endSession();
  }

  private void flushFinally(TunnelSession of) {
    long nowNs = at.nowNs();
    of.queueFinalStats(nowNs);
    of.flushBatch(nowNs);
    drain(nowNs);
  }
}
