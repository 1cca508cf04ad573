package io.viaduct.cnapt.tunnel;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.Remote;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.cnapt.mobility.PathWatch;
import io.viaduct.cnapt.mobility.SilenceWatch;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.PathSinks;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.PathUse;
import io.viaduct.tunnel.session.TunnelSession;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Decides which paths of the device ([LinkSockets]) carry data. Owner: the data path's event loop.
///
/// - A path carries data after the SNAPT's first answer by it. It is left when it becomes silent,
///   unless no other path is alive.
/// - Each decision is told to the SNAPT by probes on all live paths ([UseAnnouncement]).
final class DevicePaths implements PathSinks, LinkSockets.Listener, AutoCloseable {
  private static final Remotes NOWHERE =
      Remotes.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));
  private static final long PUBLISHED_NS = 1_000_000_000;

  private static final String QUALITY = "quality";
  private static final long SPARE_NS = 25_000_000_000L;

  private final LinkSockets sockets;
  private final List<DevicePath> present;
  private final UseAnnouncement announcement = new UseAnnouncement();
  private final PathComparison comparison = new PathComparison(0);
  private final DataPathListener listener;
  private Remotes peers = NOWHERE;
  private @Nullable TunnelSession session;
  private volatile List<PathStatus> published = List.of(); // written by the event loop
  private volatile Set<String> carrying = Set.of(); // written by the event loop
  private long publishedNs;
  private boolean lastProbed;
  private int carriedBy = FlowState.NO_PATH; // id of the path of packets that count delay
  private String carriedByName = "";
  private final @Nullable Measuring measuring;
  private long measuredNs;

  /// @param mark SO_MARK of the sockets
  /// @param measuring the regular probes to a peer; null for none
  /// @param receiver takes what arrives by any path
  DevicePaths(
      IoEventLoop loop,
      int mark,
      MobilitySettings mobility,
      @Nullable Measuring measuring,
      DevicePath.Receiver receiver,
      DataPathListener listener) {
    this.sockets = new LinkSockets(loop, mark, mobility, receiver, this);
    this.present = sockets.present();
    this.measuring = measuring;
    this.listener = listener;
  }

  /// Takes a new session. All its paths are unknown.
  void begin(TunnelSession begun, Remotes to, long nowNs) {
    session = begun;
    peers = to;
    sockets.reconcile(begun.pathsMax(), peers, nowNs);
    for (DevicePath each : present) {
      each.networkChanged(nowNs);
      begun.outer(each.id, each.header(), nowNs);
      begun.link(each.id, each.toldLink());
      each.offeredBytes = 0;
      each.use = PathUse.NO;
    }
    comparison.begin(nowNs);
    decide(nowNs);
  }

  /// Begins the paths with the rates that the session of other paths knows of the same links.
  void followRates(DevicePaths before, long nowNs) {
    TunnelSession now = session;
    TunnelSession other = before.session;
    if (now == null || other == null) {
      return;
    }
    for (DevicePath each : present) {
      for (DevicePath theirs : before.present) {
        if (each.isByLinkOf(theirs)) {
          now.followRate(each.id, other, theirs.id, nowNs);
        }
      }
    }
  }

  /// Ends the session; the sockets stay.
  void end() {
    session = null;
    carriedByName = "";
    sockets.leftovers().giveUp();
    present.forEach(each -> each.sink.release());
  }

  /// Returns the address to which the first path leads; that of the control connection without one.
  InetSocketAddress peer() {
    return present.isEmpty() ? peers.control() : present.getFirst().sink.peer();
  }

  /// Sets the SNAPT's addresses.
  void peers(Remotes to, long nowNs) {
    peers = to;
    reconcile(nowNs);
  }

  /// Takes a difference of the links that may be used.
  ///
  /// @param before null for a link that is new
  /// @param now null for a link that is gone
  void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now, long nowNs) {
    sockets.linkChanged(before, now);
    reconcile(nowNs);
  }

  private void reconcile(long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      sockets.reconcile(of.pathsMax(), peers, nowNs);
      decide(nowNs);
    }
  }

  /// Returns whether the session may have several paths.
  boolean areMany() {
    TunnelSession of = session;
    return of != null && of.pathsMax() > 1;
  }

  /// Starts all paths anew, because the SNAPT has another address, or the carrier has changed.
  void networkChanged(long nowNs) {
    TunnelSession of = session;
    for (DevicePath each : present) {
      each.networkChanged(nowNs);
      if (of != null) {
        of.pathChanged(each.id);
      }
    }
  }

  @Override
  public DatagramSink of(int path) {
    DevicePath found = find(path);
    return found == null ? ClosedSink.INSTANCE : found.sink;
  }

  @Nullable DevicePath find(int id) {
    return sockets.find(id);
  }

  @Override
  public void closing(DevicePath path, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      of.use(path.id, PathUse.NO, nowNs);
      of.pathChanged(path.id);
      announcement.decided(nowNs);
    }
  }

  @Override
  public void opened(DevicePath path, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      of.outer(path.id, path.header(), nowNs);
      of.link(path.id, path.toldLink());
    }
  }

  @Override
  public void moved(DevicePath path, String cause, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      if (path.id == carriedBy) {
        listener.trafficMoved(cause, name(path), name(path), true);
      }
      of.outer(path.id, path.header(), nowNs);
      of.pathChanged(path.id);
    }
  }

  @Override
  public void readdressed(DevicePath path, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      of.probe(path.id, Carrier.UDP, nowNs);
    }
  }

  // --- which paths carry data

  private void decide(long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    boolean changed = false;
    for (DevicePath each : present) {
      PathUse use = UseRule.of(each, present, nowNs);
      if (use != each.use) {
        each.use(use, nowNs);
        of.use(each.id, use, nowNs);
        changed = true;
      }
    }
    if (changed) {
      announcement.decided(nowNs);
      noteCarrying();
    }
    noteMove(of);
    tell(of, nowNs);
  }

  private void noteCarrying() {
    carrying =
        present.stream()
            .filter(each -> each.use != PathUse.NO && each.isAlive())
            .map(DevicePath::linkName)
            .collect(Collectors.toSet());
  }

  /// Returns the names of the links that carry data. Any thread may call this.
  Set<String> carryingLinks() {
    return carrying;
  }

  private void noteMove(TunnelSession of) {
    DevicePath to = find(of.nearestPath());
    if (to == null || to.id == carriedBy && name(to).equals(carriedByName)) {
      return;
    }
    DevicePath from = find(carriedBy);
    String before = carriedByName;
    carriedBy = to.id;
    carriedByName = name(to);
    if (!before.isEmpty()) {
      String cause = causeOfMove(from);
      listener.trafficMoved(cause, before, carriedByName, !cause.equals(QUALITY));
    }
  }

  /// Returns why packets have left a path.
  ///
  /// @param from null if its link is gone
  private static String causeOfMove(@Nullable DevicePath from) {
    if (from == null) {
      return "link";
    } else if (from.use == PathUse.YES) {
      return QUALITY;
    } else if (!from.isAlive()) {
      return "silence";
    }
    return from.isWeak() ? "signal" : "spare";
  }

  /// Returns links in the order in which the control connection should try them. Any thread may
  /// call this.
  List<UsableLink> ranked(List<UsableLink> links) {
    Set<String> first = carrying;
    Comparator<UsableLink> byUse = Comparator.comparing(link -> !first.contains(link.name()));
    return links.stream().sorted(byUse.thenComparing(UsableLink::isSpare)).toList();
  }

  /// Tells the SNAPT the use of all paths, if that is due.
  private void tell(TunnelSession of, long nowNs) {
    if (areMany() && announcement.takeDue(nowNs)) {
      for (DevicePath each : present) {
        if (each.isAlive() && mayProbe(each, nowNs)) {
          of.probe(each.id, Carrier.UDP, nowNs);
        }
      }
    }
  }

  /// Returns whether a path may be probed for the sake of others. A spare one is probed once in
  /// [#SPARE_NS], because each probe wakes its radio, unless no other path is alive.
  private boolean mayProbe(DevicePath path, long nowNs) {
    return path.use != PathUse.SPARE
        || nowNs - path.answeredNs >= SPARE_NS
        || PathComparison.carrying(present) == 0;
  }

  /// Records the answer to a probe.
  ///
  /// @return true if it was the first one after a change of network or a silence, or if the SNAPT
  ///   now knows the present use of the paths
  boolean answered(int id, long roundTripNs, long smoothedNs, long nowNs) {
    DevicePath path = find(id);
    if (path == null) {
      return false;
    }
    boolean confirmed = announcement.answered(roundTripNs, nowNs);
    path.silence.roundTrip(smoothedNs);
    path.answeredNs = nowNs;
    boolean found = path.watch.answered(nowNs, smoothedNs);
    if (found) {
      path.found(nowNs);
      decide(nowNs);
      noteCarrying(); // an only path is in use before it answers
    }
    compare(path, nowNs);
    tellRoundTrip(path, smoothedNs, nowNs);
    return found || confirmed;
  }

  private void tellRoundTrip(DevicePath path, long smoothedNs, long nowNs) {
    TunnelSession of = session;
    if (of != null
        && areMany()
        && path.use == PathUse.YES
        && PathComparison.isNews(path.toldRoundTripNs, smoothedNs, path.toldNs, nowNs)) {
      path.toldRoundTripNs = smoothedNs;
      path.toldNs = nowNs;
      of.probe(path.id, Carrier.UDP, nowNs);
    }
  }

  /// Probes the other paths if a path in use gets worse: an idle one was measured some time ago,
  /// and packets are about to be moved by that value.
  private void compare(DevicePath worse, long nowNs) {
    TunnelSession of = session;
    if (of == null
        || worse.use != PathUse.YES
        || !of.getsWorse(worse.id)
        || !comparison.takeWorse(nowNs)) {
      return;
    }
    for (DevicePath each : present) {
      if (each != worse && each.isAlive() && mayProbe(each, nowNs)) {
        of.probe(each.id, Carrier.UDP, nowNs);
      }
    }
  }

  /// Sends a probe by each socket, while the control connection carries the data.
  void probeByUdp(long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      present.forEach(each -> of.probe(each.id, Carrier.UDP, nowNs));
    }
  }

  /// Sends a probe by each path that is alive.
  ///
  /// @param by carrier of the data
  void probe(Carrier by, long nowNs) {
    TunnelSession of = session;
    for (DevicePath each : present) {
      if (of != null && each.isAlive()) {
        of.probe(each.id, by, nowNs);
        if (by == Carrier.CONTROL) {
          return; // one is enough for the one control connection
        }
      }
    }
  }

  /// Notes the packets that were offered since the last call, so that silence is noticed.
  ///
  /// @return their bytes
  int noteOffered(long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return 0;
    }
    long noted = 0;
    for (int i = 0; i < present.size(); i++) {
      DevicePath each = present.get(i);
      long bytes = of.offeredBytes(each.id);
      if (bytes != each.offeredBytes) {
        int some = (int) Math.min(Integer.MAX_VALUE, bytes - each.offeredBytes);
        each.watch.sent(some, nowNs);
        comparison.carried(some);
        each.offeredBytes = bytes;
        noted += some;
      }
    }
    return (int) Math.min(Integer.MAX_VALUE, noted);
  }

  /// Records packets for the device, as opposed to messages of the SNAPT itself.
  ///
  /// @param by null if they came by the control connection
  void delivered(@Nullable DevicePath by) {
    watched(by).watch.delivered();
  }

  private DevicePath watched(@Nullable DevicePath by) {
    return by == null ? present.getFirst() : by;
  }

  /// Records an authentic datagram by the carrier in use.
  ///
  /// @param by null if it came by the control connection
  void heard(@Nullable DevicePath by, int length, long nowNs) {
    DevicePath path = watched(by);
    path.watch.heard(length, nowNs);
    if (present.size() > 1) {
      path.silence.heard(length, nowNs);
      comparison.carried(length);
    }
  }

  /// Handles what is due.
  ///
  /// @param by carrier of the data
  /// @return true if the last live path has died
  boolean tick(Carrier by, long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return false;
    }
    boolean died = false;
    sockets.tick(nowNs);
    for (DevicePath each : List.copyOf(present)) {
      sockets.tryOtherFamily(each, peers, nowNs);
      died |= tick(each, of, by, nowNs);
    }
    measure(of, nowNs);
    if (comparison.takeDue(PathComparison.carrying(present), nowNs)) {
      measureCarrying(of, nowNs);
    }
    if (nowNs - publishedNs >= PUBLISHED_NS) {
      publishedNs = nowNs;
      published = status(nowNs);
    }
    decide(nowNs);
    return died && isSearching();
  }

  private boolean tick(DevicePath path, TunnelSession of, Carrier by, long nowNs) {
    SilenceWatch.Decision heard = path.silence.tick(nowNs);
    if (heard == SilenceWatch.Decision.PROBE) {
      of.probe(path.id, Carrier.UDP, nowNs);
    } else if (heard == SilenceWatch.Decision.LEAVE) {
      leave(path, nowNs);
    }
    if (by == Carrier.CONTROL && path != present.getFirst()) {
      return false; // one path's watch is enough for the one control connection
    }
    PathWatch.Decision decision = path.watch.tick(nowNs);
    if (decision == PathWatch.Decision.WAIT) {
      return false;
    }
    of.probe(path.id, by, nowNs);
    lastProbed |= !hasOther(path);
    return decision == PathWatch.Decision.PROBE_AND_REPORT_DEAD;
  }

  /// Sends the regular probes: each tells the other end what was measured, and that the path is
  /// there. A path without an answer for too long is left.
  private void measure(TunnelSession of, long nowNs) {
    if (measuring == null || nowNs < measuredNs + measuring.probe().toNanos()) {
      return;
    }
    measuredNs = nowNs;
    for (DevicePath each : List.copyOf(present)) {
      if (each.isAlive() && nowNs - each.answeredNs > measuring.silence().toNanos()) {
        leave(each, nowNs);
      }
      of.probe(each.id, Carrier.UDP, nowNs);
    }
  }

  private void measureCarrying(TunnelSession of, long nowNs) {
    for (DevicePath each : present) {
      if (each.use == PathUse.YES && each.isAlive()) {
        of.probe(each.id, Carrier.UDP, nowNs);
      }
    }
  }

  private boolean hasOther(DevicePath path) {
    return present.stream().anyMatch(each -> each != path && each.isAlive());
  }

  /// Returns whether a probe left, since the last call, by a path that no other live path can
  /// replace. If it is not answered, UDP may be blocked.
  boolean takeLastProbed() {
    boolean probed = lastProbed;
    lastProbed = false;
    return probed;
  }

  private void leave(DevicePath path, long nowNs) {
    for (DevicePath each : present) {
      if (each != path && each.isAlive()) {
        path.left(nowNs);
        sockets.leftovers().add(path.sink);
        listener.pathLeft(new LeftPath(path.linkName(), remoteOf(path), name(path), name(each)));
        return;
      }
    }
  }

  private Remote remoteOf(DevicePath path) {
    return peers.places().get(path.place);
  }

  /// Returns the name of a path in messages: its link, and its address if that distinguishes paths.
  String name(DevicePath path) {
    return peers.places().size() == 1
        ? path.linkName()
        : path.linkName() + " to " + path.remoteName();
  }

  /// Sends the bursts that waited for their link. Those of lost links leave by a path that works.
  void sendWaiting(long nowNs) {
    for (int i = 0; !sockets.leftovers().isEmpty() && i < present.size(); i++) {
      if (present.get(i).isAlive()) {
        sockets.leftovers().sendBy(present.get(i).sink, nowNs);
      }
    }
    for (int i = 0; i < present.size(); i++) {
      present.get(i).sink.sendWaiting(nowNs);
    }
  }

  /// Drops the bursts that wait, because the carrier has changed.
  void giveUp() {
    sockets.leftovers().giveUp();
    present.forEach(each -> each.sink.giveUp());
  }

  /// Returns whether the kernel has no route by any path.
  boolean isRefused() {
    for (int i = 0; i < present.size(); i++) {
      if (!present.get(i).sink.isRefused()) {
        return false;
      }
    }
    return !present.isEmpty();
  }

  LinkSockets sockets() {
    return sockets;
  }

  /// Returns the status of a path, at most a second old while packets are carried; null if it does
  /// not exist. Any thread may call this.
  @Nullable PathStatus published(int id) {
    for (PathStatus each : published) {
      if (each.id() == id) {
        return each;
      }
    }
    return null;
  }

  /// Returns the status of each path.
  List<PathStatus> status(long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return List.of();
    }
    List<PathStatus> status = new ArrayList<>();
    for (PathState each : of.paths(nowNs)) {
      DevicePath path = find(each.id());
      if (path != null) {
        status.add(path.status(each, nowNs));
      }
    }
    return status;
  }

  /// Returns whether no path is alive.
  boolean isSearching() {
    for (int i = 0; i < present.size(); i++) { // called per packet: no stream
      if (present.get(i).isAlive()) {
        return false;
      }
    }
    return true;
  }

  /// Returns whether no path is alive, and one was found dead.
  boolean isDead() {
    return isSearching() && present.stream().anyMatch(each -> each.watch.isDead());
  }

  /// Returns the time of the next [#tick].
  long nextTickNs(long nowNs) {
    long next = areMany() ? announcement.dueNs() : Long.MAX_VALUE;
    if (measuring != null) {
      next = Math.min(next, measuredNs + measuring.probe().toNanos());
    }
    next = Math.min(next, comparison.dueNs(PathComparison.carrying(present)));
    next = Math.min(next, sockets.nextTickNs());
    for (int i = 0; i < present.size(); i++) {
      next = Math.min(next, present.get(i).nextTickNs(nowNs));
    }
    return next;
  }

  @Override
  public void close() {
    sockets.close();
  }
}
