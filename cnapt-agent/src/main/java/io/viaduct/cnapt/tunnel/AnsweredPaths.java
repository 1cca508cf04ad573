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
import io.viaduct.tunnel.session.PathUse;
import io.viaduct.tunnel.session.TunnelSession;
import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The paths of a peer that listens. The other end opens them, measures them and decides about
/// their use; this end reads its results from its probes. It leaves a path by its own finding if
/// its probes stop ([ProbeWatchdog]), or if the link of its own address is gone, unless no other
/// path is left.
final class AnsweredPaths implements TunnelPaths, PeerSocket.Receiver {
  private static final long PUBLISHED_NS = 1_000_000_000;

  private final IoEventLoop loop;
  private final LongSupplier nanoTime;
  private final long silenceNs;
  private final Inbound inbound;
  private final DataPathListener listener;
  private final List<PeerSocket> sockets = new ArrayList<>();
  private final ReturnWays ways = new ReturnWays();
  private final List<UsableLink> links = new ArrayList<>();
  private final ProbeWatchdog[] watchdogs = new ProbeWatchdog[TunnelLimits.PATHS_MAX];
  private final ToAddress[] sinks = new ToAddress[TunnelLimits.PATHS_MAX];
  private final boolean[] silent = new boolean[TunnelLimits.PATHS_MAX];
  private @Nullable TunnelSession session;
  private @Nullable InetSocketAddress peer;
  private volatile List<PathStatus> published = List.of(); // written by the event loop
  private volatile long fired; // written by the event loop
  private volatile long misled; // written by the event loop
  private long publishedNs;
  private boolean unsettled; // until the present datagram is taken
  private long reviewNs = Long.MAX_VALUE; // end of a hold time

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
    this.silenceNs = role.watchdog().toNanos();
    this.inbound = inbound;
    this.listener = listener;
    begin(nanoTime.getAsLong());
    for (int path = 0; path < sinks.length; path++) {
      sinks[path] = new ToAddress(path);
    }
    boolean complete = false;
    try {
      for (InetSocketAddress each : role.addresses()) {
        int port = sockets.isEmpty() ? each.getPort() : port();
        sockets.add(
            new PeerSocket(loop, new InetSocketAddress(each.getAddress(), port), mark, this));
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private void begin(long nowNs) {
    for (int i = 0; i < watchdogs.length; i++) {
      watchdogs[i] = new ProbeWatchdog(silenceNs, nowNs);
      silent[i] = false;
    }
  }

  /// Returns the port of all addresses.
  int port() {
    return sockets.getFirst().address().getPort();
  }

  @Override
  public void begin(TunnelSession begun, Remotes peers, long nowNs) {
    session = begun;
    peer = peers.control();
    ways.clear();
    begin(nowNs);
  }

  @Override
  public void end() {
    session = null;
    sockets.forEach(PeerSocket::giveUp);
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
    for (PeerSocket each : sockets) {
      try {
        each.links(links);
      } catch (SocketException e) {
        listener.addressLost(each.address().getAddress().getHostAddress(), e.getMessage());
      }
    }
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
    if (!ways.isAllowed(from, by, nowNs)) {
      misled++;
      return;
    }
    int length = content.readableBytes();
    if (to.open(content, content.readerIndex(), length, from, inbound.toHost(), nowNs)
        .isSignOfLife()) {
      ways.heard(from, by, nowNs);
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
    if (watchdogs[path].probed(nowNs)) {
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
    reviewNs = Long.MAX_VALUE;
    for (ProbeWatchdog each : watchdogs) {
      reviewNs = Math.min(reviewNs, each.heldUntilNs(nowNs));
    }
    List<PathState> all = of.paths(nowNs);
    boolean anyWorks = all.stream().anyMatch(each -> works(each, nowNs));
    for (PathState each : all) {
      silent[each.id()] = anyWorks && watchdogs[each.id()].isKnown() && !works(each, nowNs);
      of.silent(each.id(), silent[each.id()], nowNs);
    }
  }

  private boolean works(PathState path, long nowNs) {
    PeerSocket socket = ways.socketOf(path.address());
    return watchdogs[path.id()].isReady(nowNs) && socket != null && !socket.isLinkGone();
  }

  @Override
  public void tick(long nowNs) {
    boolean wasAlive = !isSearching();
    boolean changed = false;
    for (int id = 0; id < watchdogs.length; id++) {
      if (watchdogs[id].takeSilence(nowNs)) {
        fired++;
        changed = true;
        listener.probesStopped(id, name(id), silenceNs);
      }
    }
    if (changed && wasAlive && isSearching()) {
      listener.pathDead();
    }
    if (changed || nowNs >= reviewNs) {
      decide(nowNs);
    }
    if (nowNs - publishedNs >= PUBLISHED_NS) {
      publishedNs = nowNs;
      published = status(nowNs);
    }
  }

  @Override
  public long nextTickNs(long nowNs) {
    long next = session == null ? Long.MAX_VALUE : publishedNs + PUBLISHED_NS;
    for (ProbeWatchdog each : watchdogs) {
      next = Math.min(next, each.dueNs(nowNs));
    }
    return next;
  }

  // --- what leaves

  @Override
  public DatagramSink of(int path) {
    return sinks[path];
  }

  /// Returns the socket of a path; the first one while the path has none.
  private PeerSocket bySocket(int path) {
    PeerSocket socket = ways.socketOf(bindingOf(path));
    return socket == null ? sockets.getFirst() : socket;
  }

  private @Nullable InetSocketAddress bindingOf(int path) {
    TunnelSession of = session;
    return of == null ? null : of.bindingOf(path);
  }

  /// Sends by the socket at which the address is heard.
  private final class ToAddress implements DatagramSink {
    private final int path;

    ToAddress(int path) {
      this.path = path;
    }

    @Override
    public boolean isWritable() {
      return bySocket(path).isWritable();
    }

    @Override
    public void send(ByteBuf burst, int segmentSize, @Nullable InetSocketAddress to, long nowNs) {
      PeerSocket by = ways.socketOf(to);
      (by == null ? bySocket(path) : by).send(burst, segmentSize, to, nowNs);
    }

    @Override
    public int takeTooLong() {
      return bySocket(path).takeTooLong();
    }
  }

  @Override
  public void beforeDrain(long nowNs) {
    for (int i = 0; i < sockets.size(); i++) {
      sockets.get(i).sendWaiting(nowNs);
    }
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
  public List<PathStatus> status(long nowNs) {
    TunnelSession of = session;
    return of == null
        ? List.of()
        : of.paths(nowNs).stream()
            .filter(each -> watchdogs[each.id()].isKnown())
            .map(each -> status(each, nowNs))
            .toList();
  }

  private PathStatus status(PathState path, long nowNs) {
    PeerSocket socket = ways.socketOf(path.address());
    UsableLink link = socket == null ? null : socket.link();
    ProbeWatchdog watchdog = watchdogs[path.id()];
    boolean left = watchdog.isFired() || silent[path.id()];
    boolean losing = PathReport.isLosing(path, false);
    String working = path.use() == PathUse.SPARE ? "spare" : losing ? "losing" : "usable";
    return PathReport.of(
        path,
        socket == null ? "any" : socket.linkName(),
        path.address() == null ? "" : path.address().getAddress().getHostAddress(),
        left ? "dead" : working,
        left ? PathUse.NO : path.use(),
        why(path, socket, nowNs),
        (nowNs - watchdog.sinceNs()) / 1_000_000,
        link == null ? 0 : link.cost());
  }

  private String why(PathState path, @Nullable PeerSocket socket, long nowNs) {
    ProbeWatchdog watchdog = watchdogs[path.id()];
    if (watchdog.isFired()) {
      return "no probe has come by it for %d ms"
          .formatted((silenceNs + nowNs - watchdog.sinceNs()) / 1_000_000);
    }
    if (socket != null && socket.isLinkGone()) {
      return "the link of this end is gone";
    }
    if (watchdog.heldMs(nowNs) > 0) {
      return "its probes come again, and it is tried for %d ms more"
          .formatted(watchdog.heldMs(nowNs));
    }
    return switch (path.use()) {
      case YES -> "the peer that dials uses it";
      case SPARE -> "the peer that dials keeps it as a spare";
      case NO -> "the peer that dials does not use it";
    };
  }

  @Override
  public @Nullable PathStatus published(int id) {
    for (PathStatus each : published) {
      if (each.id() == id) {
        return each;
      }
    }
    return null;
  }

  @Override
  public String name(int id) {
    InetSocketAddress to = id < watchdogs.length ? bindingOf(id) : null;
    return to == null ? "" : bySocket(id).linkName() + " to " + to.getAddress().getHostAddress();
  }

  @Override
  public @Nullable InetSocketAddress peer() {
    TunnelSession of = session;
    InetSocketAddress bound = of == null ? null : of.binding();
    return bound == null ? peer : bound;
  }

  @Override
  public boolean isSearching() {
    for (ProbeWatchdog each : watchdogs) {
      if (each.isKnown() && !each.isFired()) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean isDead() {
    boolean anyFired = false;
    for (ProbeWatchdog each : watchdogs) {
      anyFired |= each.isFired();
    }
    return anyFired && isSearching();
  }

  @Override
  public int refusedPairs() {
    return 0; // the other end opens the paths
  }

  @Override
  public long droppedBursts() {
    return sockets.stream().mapToLong(PeerSocket::dropped).sum();
  }

  @Override
  public long refusals() {
    return sockets.stream().mapToLong(PeerSocket::refusals).sum();
  }

  @Override
  public long watchdogs() {
    return fired;
  }

  @Override
  public long misled() {
    return misled;
  }

  @Override
  public void close() {
    sockets.forEach(PeerSocket::close);
    sockets.clear();
  }
}
