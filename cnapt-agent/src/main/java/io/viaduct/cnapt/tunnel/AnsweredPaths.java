package io.viaduct.cnapt.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.control.ControlLine;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The paths of a peer that listens. The other end opens them, measures them and decides about
/// their use; this end reads its results from its probes. It leaves a path by its own finding if
/// its probes stop ([ProbeWatchdog]), or if the link of its own address is gone, unless no other
/// path is left.
final class AnsweredPaths implements TunnelPaths, PeerSocket.Receiver {
  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final Inbound inbound;
  private final DataPathListener listener;
  private final ListeningSockets sockets;
  private final ProbeWatchdogs watchdogs;
  private final List<UsableLink> links = new ArrayList<>();
  private final boolean[] silent = new boolean[TunnelLimits.PATHS_MAX];
  private final PublishedPaths published = new PublishedPaths(this::status);
  private @Nullable TunnelSession session;
  private @Nullable InetSocketAddress peer;
  private boolean unsettled; // until the present datagram is taken
  private long reviewNs = Long.MAX_VALUE; // end of a hold time
  private int findings;

  /// Opens a socket at each address.
  ///
  /// @throws SocketException if an address cannot be bound; the message says what to do
  AnsweredPaths(
      IoEventLoop loop,
      LongSupplier nanoTime,
      int mark,
      EndRole.Answering role,
      Inbound inbound,
      DataPathListener listener)
      throws SocketException {
    this.loop = loop;
    this.nanoTime = nanoTime;
    this.inbound = inbound;
    this.listener = listener;
    this.watchdogs = new ProbeWatchdogs(role.watchdog().toNanos(), nanoTime.getAsLong());
    this.sockets = new ListeningSockets(loop, mark, role.addresses(), this, this::bindingOf);
  }

  private @Nullable InetSocketAddress bindingOf(int path) {
    TunnelSession of = session;
    return of == null ? null : of.bindingOf(path);
  }

  /// Returns the port of all addresses.
  int port() {
    return sockets.port();
  }

  @Override
  public void begin(TunnelSession begun, Remotes peers, long nowNs) {
    session = begun;
    peer = peers.control();
    begun.bindAtOnceOnly(peers.control().getAddress());
    sockets.begin();
    watchdogs.begin(nowNs);
    Arrays.fill(silent, false);
  }

  @Override
  public void end() {
    session = null;
    sockets.giveUp();
  }

  @Override
  public void peers(Remotes to, long nowNs) {
    peer = to.control();
  }

  @Override
  public void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now, long nowNs) {
    links.remove(before);
    if (now != null) {
      links.add(now);
    }
    sockets.links(links, listener::addressLost);
    decide(nowNs);
  }

  @Override
  public void control(ControlLine.@Nullable Connection connection, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      of.control(
          connection == null
              ? null
              : new ControlLine(connection, ByteBufAllocator.DEFAULT, loop, inbound::drain));
    }
  }

  @Override
  public void networkChanged(long nowNs) {} // the other end notices, and probes

  @Override
  public void awake(long nowNs) {} // so does it now

  @Override
  public void offered(long nowNs) {}

  // --- what arrives

  @Override
  public void burst(long waitedNs) {
    inbound.burst(waitedNs);
  }

  @Override
  public void datagram(PeerSocket by, ByteBuf content, InetSocketAddress from) {
    TunnelSession to = inbound.sessionOf(content);
    if (to == null) {
      return;
    }
    long nowNs = inbound.arrivedNs();
    if (!sockets.isAllowed(from, by, nowNs)) {
      return;
    }
    int length = content.readableBytes();
    if (to.open(content, content.readerIndex(), length, from, inbound.toHost(), nowNs)
        .isSignOfLife()) {
      sockets.heard(from, by, nowNs);
      if (unsettled) {
        unsettled = false;
        decide(nowNs);
      }
    }
  }

  @Override
  public void controlDatagram(ByteBuf datagram, long nowNs) {
    TunnelSession to = inbound.sessionOf(datagram);
    if (to != null) {
      int length = datagram.readableBytes();
      to.open(datagram, datagram.readerIndex(), length, null, inbound.toHost(), nowNs);
    }
  }

  @Override
  public void batchEnd() {
    inbound.opened();
    inbound.drain();
  }

  @Override
  public void writable() {
    inbound.drain();
  }

  @Override
  public void probeArrived(int path) {
    long nowNs = nanoTime.getAsLong();
    boolean wasDead = isSearching();
    if (watchdogs.of(path).probed(nowNs)) {
      findings++;
      unsettled = true;
      if (wasDead) {
        listener.pathFound(nowNs);
      }
    }
  }

  @Override
  public void bindingMoved(@Nullable InetSocketAddress from, InetSocketAddress to) {
    unsettled = true;
  }

  // --- which paths are left

  private void decide(long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    reviewNs = watchdogs.heldUntilNs(nowNs);
    List<PathState> all = of.paths(nowNs);
    boolean anyWorks = all.stream().anyMatch(each -> works(each, nowNs));
    for (PathState each : all) {
      silent[each.id()] = anyWorks && watchdogs.of(each.id()).isKnown() && !works(each, nowNs);
      of.silent(each.id(), silent[each.id()], nowNs);
    }
  }

  private boolean works(PathState path, long nowNs) {
    PeerSocket socket = sockets.socketOf(path.address());
    return watchdogs.of(path.id()).isReady(nowNs) && socket != null && !socket.isLinkGone();
  }

  @Override
  public void tick(long nowNs) {
    boolean wasAlive = !isSearching();
    boolean changed =
        watchdogs.tick(nowNs, id -> listener.probesStopped(id, name(id), watchdogs.silenceNs()));
    findings += changed ? 1 : 0;
    if (changed && wasAlive && isSearching()) {
      listener.pathDead();
    }
    if (changed || nowNs >= reviewNs) {
      decide(nowNs);
    }
    published.renew(nowNs);
  }

  @Override
  public long nextTickNs(long nowNs) {
    long next = session == null ? Long.MAX_VALUE : published.dueNs();
    return Math.min(next, watchdogs.dueNs(nowNs));
  }

  // --- what leaves

  @Override
  public DatagramSink of(int path) {
    return sockets.of(path);
  }

  @Override
  public void beforeDrain(long nowNs) {
    sockets.sendWaiting(nowNs);
  }

  @Override
  public void afterDrain(long nowNs) {}

  @Override
  public Carrier carrier() {
    TunnelSession of = session;
    return of == null ? Carrier.UDP : of.carrier();
  }

  @Override
  public List<UsableLink> ranked(List<UsableLink> all) {
    return all;
  }

  // --- what is shown

  @Override
  public boolean areMany() {
    TunnelSession of = session;
    return of != null && of.pathsMax() > 1;
  }

  @Override
  public int findings() {
    return findings;
  }

  @Override
  public List<PathStatus> status(long nowNs) {
    TunnelSession of = session;
    return of == null
        ? List.of()
        : of.paths(nowNs).stream()
            .filter(each -> watchdogs.of(each.id()).isKnown())
            .map(each -> status(each, nowNs))
            .toList();
  }

  private PathStatus status(PathState path, long nowNs) {
    PeerSocket socket = sockets.socketOf(path.address());
    return new AnsweredPath(path, socket, watchdogs.of(path.id()), silent[path.id()]).status(nowNs);
  }

  @Override
  public @Nullable PathStatus published(int id) {
    return published.of(id);
  }

  @Override
  public String name(int id) {
    InetSocketAddress to = id < TunnelLimits.PATHS_MAX ? bindingOf(id) : null;
    return to == null
        ? ""
        : sockets.socketOf(id).linkName() + " to " + to.getAddress().getHostAddress();
  }

  @Override
  public @Nullable InetSocketAddress peer() {
    TunnelSession of = session;
    InetSocketAddress bound = of == null ? null : of.binding();
    return bound == null ? peer : bound;
  }

  @Override
  public boolean isSearching() {
    return watchdogs.isSearching();
  }

  @Override
  public boolean isDead() {
    return watchdogs.isDead();
  }

  @Override
  public int refusedPairs() {
    return 0; // the other end opens the paths
  }

  @Override
  public long droppedBursts() {
    return sockets.dropped();
  }

  @Override
  public long refusals() {
    return sockets.refusals();
  }

  @Override
  public long watchdogs() {
    return watchdogs.fired();
  }

  @Override
  public long misled() {
    return sockets.misled();
  }

  @Override
  public void close() {
    sockets.close();
  }
}
