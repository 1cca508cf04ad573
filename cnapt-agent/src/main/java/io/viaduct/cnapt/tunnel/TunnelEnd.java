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
import io.viaduct.tunnel.control.v1.LineRate;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelRole;
import io.viaduct.tunnel.wire.IpPacket;
import java.net.SocketException;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// This host's end of the tunnel to one SNAPT, or to a peer: its packets and events go to the
/// session that carries ([SessionSuccession]). All methods run on the data path's event loop,
/// unless documented otherwise.
public final class TunnelEnd {
  private final DataLoop at;
  private final TunnelRole role;
  private final FlowChanges flowChanges;
  private final DataPathListener listener;
  private final SessionSuccession sessions;
  private boolean closed;

  /// Opens the paths.
  ///
  /// @throws SocketException if a socket cannot be opened
  TunnelEnd(
      DataLoop at,
      TunnelRole role,
      Policy policy,
      FlowChanges flowChanges,
      DataPathListener listener,
      TunnelPaths.Factory factory)
      throws SocketException {
    this.at = at;
    this.role = role;
    this.flowChanges = flowChanges;
    this.listener = listener;
    this.sessions = new SessionSuccession(at, role, policy, factory, new Events());
  }

  private CarryingSession current() {
    return sessions.current();
  }

  private CarryingSession newest() {
    return sessions.newest();
  }

  /// Returns whether a session that another SNAPT has taken over is kept.
  boolean isRetiring() {
    return sessions.isRetiring();
  }

  /// Returns whether a session awaits its first answer beside the present one.
  boolean isFollowed() {
    return sessions.isFollowed();
  }

  /// Returns the status of each path of the present session.
  List<PathStatus> pathStatus(long nowNs) {
    LineMeter meter = current().meter();
    return current().paths().status(nowNs).stream()
        .map(each -> each.to(name(), meter.towardsHere(each.id())))
        .toList();
  }

  /// Returns the same now.
  List<PathStatus> pathStatus() {
    return pathStatus(at.nowNs());
  }

  /// Returns the line of the policy that decides about a flow, and what it holds on to.
  FlowPlacement placement(FlowState flow, FlowNote note) {
    return current().routes().placement(flow, note);
  }

  // --- which session carries

  /// Installs the session of a Welcome, and starts to carry packets with its keys.
  public void install(SessionParameters parameters) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    sessions.install(parameters);
  }

  /// Opens the session of a Welcome beside the present one, which its SNAPT takes over.
  public void follow(SessionParameters parameters) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    sessions.follow(parameters);
  }

  /// Lets a session carry again that was left for the present one.
  ///
  /// @param ownReceiverIndex of the session
  public void carryAgain(int ownReceiverIndex) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    sessions.carryAgain(ownReceiverIndex);
  }

  private final class Events implements SessionSuccession.Owner {
    @Override
    public void flowChanged(FlowState flow, boolean isOpen) {
      flowChanges.changed(TunnelEnd.this, flow, isOpen);
    }

    @Override
    public void flowsMoved() {
      flowChanges.moved(TunnelEnd.this);
    }

    @Override
    public void counted() {
      noteFlows();
    }
  }

  // --- network and control connection

  /// Changes the SNAPT's addresses within the same session. Paths to an address that stays go on.
  public void peersMoved(Remotes peers) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    newest().paths().peers(peers, at.nowNs());
    newest().tick();
  }

  /// Returns links in the order in which the control connection should try them: those by which the
  /// SNAPT answers first, spare ones last. Any thread may call this.
  public List<UsableLink> ranked(List<UsableLink> of) {
    return current().paths().ranked(of);
  }

  /// Takes a difference of the links that may be used: each of them gets a path.
  void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now) {
    sessions.linkChanged(before, now);
  }

  void networkChanged() {
    sessions.changed(paths -> paths.networkChanged(at.nowNs()));
  }

  void awake() {
    sessions.changed(paths -> paths.awake(at.nowNs()));
  }

  /// Sets the session's control connection, which may carry datagrams.
  public void control(ControlLine.Connection connection) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    newest().paths().control(connection, at.nowNs());
    newest().tick();
  }

  /// Removes the control connection, because it is lost.
  public void controlLost() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    newest().paths().control(null, at.nowNs());
    newest().tick();
  }

  /// Opens and releases datagrams that arrived in the control connection.
  public void controlDatagrams(List<ByteBuf> datagrams) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    long nowNs = at.nowNs();
    at.memory().socketWaitNs(0);
    for (ByteBuf datagram : datagrams) {
      (current().isFor(datagram) ? current() : newest()).controlDatagram(datagram, nowNs);
      datagram.release();
    }
    sessions.onEach(each -> each.controlBatchEnd(nowNs));
  }

  // --- what is known about the SNAPT

  /// Takes what the SNAPT tells about itself.
  ///
  /// @param draining true if new flows should go elsewhere; the listener hears when the last flow
  ///   is over
  /// @param share its load, 0 to 1
  public void told(boolean draining, double share) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    newest().state().told(draining, share);
    stateTold();
  }

  /// Lets new flows go elsewhere although the SNAPT serves, because a nearer one is free, or takes
  /// them again. The listener hears when the last flow is over.
  public void seeksNearer(boolean another) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    newest().state().seeks(another);
    stateTold();
  }

  private void stateTold() {
    at.stateChanged().run();
    noteFlows();
  }

  private void noteFlows() {
    TunnelSession of = current().session();
    if (of == null) {
      current().state().hasNone();
    } else if (current().state().hasNow(of.flows().size())) {
      listener.emptied();
    }
  }

  /// Takes what the SNAPT tells about its line towards here.
  public void lineRate(LineRate rate) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    newest().meter().told(rate);
  }

  /// Returns whether the SNAPT selects the path of a flow that counts rate by its own rates.
  boolean ranksItself() {
    TunnelSession of = current().session();
    return of != null && of.knows(FlowRoute.MOST_SPARE);
  }

  /// Returns whether both ends let flows of a protocol travel by all paths.
  ///
  /// @param protocol IP protocol number
  boolean spreads(int protocol) {
    TunnelSession of = current().session();
    return of != null && of.spreads(protocol);
  }

  /// Takes what a list says about the SNAPT.
  public void terms(SnaptTerms told) {
    assert at.loop().inEventLoop() : Thread.currentThread();
    newest().state().terms(told);
  }

  /// Returns the region of the SNAPT; empty if it is not known.
  String region() {
    return current().state().terms().region();
  }

  /// Returns the smoothed round trip to the SNAPT in ms, at most some seconds old while packets are
  /// carried; NaN before the first one. Any thread may call this.
  public double roundTripMs() {
    return current().meter().roundTripMs();
  }

  /// Returns whether the SNAPT is to be left and has no flow of this host any more. Any thread may
  /// call this.
  public boolean isEmptied() {
    return current().state().isEmptied();
  }

  /// Returns whether the SNAPT is about to stop, or a nearer one is free. Any thread may call this.
  public boolean isLeaving() {
    return current().state().isLeaving();
  }

  /// Returns whether flows are open. Any thread may call this.
  public boolean hasFlows() {
    return current().state().hasFlows();
  }

  /// Returns whether nothing comes from the SNAPT. Any thread may call this.
  public boolean isSilent() {
    return current().state().isSilent();
  }

  /// Returns whether the SNAPT answers, as far as it is known: it is neither silent nor asked
  /// whether it is there. Any thread may call this.
  public boolean answers() {
    return !current().state().isSilent() && !current().state().isSuspected();
  }

  /// Returns whether flows are open, and datagrams come from the SNAPT. Any thread may call this.
  public boolean carriesFlows() {
    return current().state().carriesFlows();
  }

  /// Returns the inner bytes of the present session, in both directions. Any thread may call this.
  public long carriedBytes() {
    TunnelSession of = current().session();
    return of == null ? 0 : of.totals().preBytes();
  }

  // --- the end of a session

  /// Ends the session, because this host can do without it. Another one begins with [#install].
  public void rest() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    sessions.rest();
    flowChanges.gone(this);
    at.stateChanged().run();
  }

  /// Tells the applications that the flows of this end are over, because the SNAPT will not come
  /// back or another one is here instead, and ends the session. Another one begins with [#install].
  ///
  /// @return number of flows
  public int abandon() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    TunnelSession of = current().session();
    int flows = of == null ? 0 : at.refusals().lost(of, at.nowNs());
    rest();
    return flows;
  }

  /// Sends the last statistics of the flows, and ends the session. The sockets are closed.
  public void close() {
    assert at.loop().inEventLoop() : Thread.currentThread();
    if (closed) {
      return;
    }
    closed = true;
    sessions.close();
  }

  // --- packets of this host

  /// Returns the flow of the packet that was parsed last, null if it is none of this end.
  @Nullable FlowState flowOfParsed() {
    TunnelSession of = current().session();
    return of == null ? null : of.flowOfParsed();
  }

  /// Takes a packet of this host, and finds or opens its flow.
  void offer(IpPacket packet, long nowNs) {
    current().offer(packet, nowNs);
  }

  /// Takes a packet of this host that was parsed last, and belongs to this flow.
  void offer(IpPacket packet, FlowState flow, long nowNs) {
    current().offer(packet, flow, nowNs);
  }

  /// Calls [#flush] if packets were offered since the last time.
  void flushOffered(long nowNs) {
    current().flushOffered(nowNs);
  }

  /// Sends what was offered and need not wait. Called when the TUN has no more packets for now.
  void flush(long nowNs) {
    current().flush(nowNs);
  }

  /// Returns whether the queues of the session have room.
  boolean hasRoom() {
    return current().hasRoom();
  }

  // --- what is shown, and what decides about new flows

  /// Returns what is known about the SNAPT for the choice of a new flow.
  SnaptFacts facts(long nowNs) {
    return current().facts(nowNs);
  }

  /// Returns whether the data of both ends takes a common link of this host.
  boolean sharesLink(TunnelEnd other) {
    return !Collections.disjoint(paths().carryingLinks(), other.paths().carryingLinks());
  }

  /// Returns whether new flows may have this SNAPT.
  boolean isCarrying() {
    return current().session() != null && !current().paths().isSilent() && !isLeaving();
  }

  /// Returns whether the SNAPT answers, as far as it is known, and does not drain.
  boolean serves() {
    return current().session() != null
        && !current().paths().isSilent()
        && !current().paths().isSuspected()
        && !current().state().isDraining();
  }

  /// Returns whether a first answer of the SNAPT is awaited, so that silence means nothing.
  boolean awaitsAnswer(long nowNs) {
    return current().session() != null
        && current().paths().isSilent()
        && current().state().isExpected(nowNs);
  }

  /// Returns whether flows that belong together stay here: the SNAPT does not drain, and answers,
  /// or its first answer is awaited, after a change of network or in a new session. That another
  /// one is nearer separates no flows.
  boolean keepsTies(long nowNs) {
    return current().session() != null
        && current().state().keepsTies(current().paths().isSilent(), nowNs);
  }

  /// Returns whether a flow stays here: the SNAPT answers, or the remote host knows the flow by the
  /// SNAPT's address. It does if it has answered, and probably if the flow goes in one direction
  /// only: it has sent several packets, and began some round trips before the silence.
  boolean keeps(FlowState flow) {
    return flow.received().packets() > 0
        || flow.attachment() instanceof FlowNote note && note.wasAnswered
        || !current().paths().isSilent()
        || current().state().isKnownThere(flow, roundTripMs());
  }

  /// Ends a flow that another end has from now on.
  void giveUp(FlowState flow, long nowNs) {
    TunnelSession of = current().session();
    if (of != null) {
      of.giveUp(flow, nowNs);
    }
  }

  @Nullable TunnelSession session() {
    return current().session();
  }

  TunnelPaths paths() {
    return current().paths();
  }

  /// Returns the counts of the paths of all sessions. Any thread may call this.
  PathTotals pathTotals() {
    return sessions.pathTotals();
  }

  /// Returns the name of the SNAPT; empty for a peer, and before the first session.
  public String name() {
    return current().snapt();
  }

  TunnelRole role() {
    return role;
  }

  void distribute(Policy other) {
    sessions.distribute(other);
  }
}
