package io.viaduct.cnapt.tunnel;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.policy.PathStatus;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.DatagramSink;
import io.viaduct.tunnel.session.PathSinks;
import io.viaduct.tunnel.session.PathState;
import io.viaduct.tunnel.session.PathUse;
import io.viaduct.tunnel.session.TunnelSession;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides which paths of the device ([LinkSockets]) carry data. Owner: the data path's event loop.
///
/// - A path carries data after the SNAPT's first answer by it. It is left when it becomes silent,
///   unless no other path is alive ([PathLiveness]).
/// - Each decision is told to the SNAPT by probes on all live paths ([PathProbes]).
final class DevicePaths
    implements PathSinks, LinkSockets.Listener, PathLiveness.Owner, AutoCloseable {
  private static final Remotes NOWHERE =
      Remotes.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 9));

  private final LinkSockets sockets;
  private final List<DevicePath> present;
  private final PathProbes probes;
  private final PathLiveness liveness;
  private final NearestPath nearest;
  private final CarryingLinks carrying = new CarryingLinks();
  private final PublishedPaths published = new PublishedPaths(this::status);
  private final DataPathListener listener;
  private Remotes peers = NOWHERE;
  private @Nullable TunnelSession session;
  private int findings;

  /// @param mark SO_MARK of the sockets
  /// @param receiver takes what arrives by any path
  DevicePaths(
      IoEventLoop loop,
      int mark,
      EndRole.Dialling role,
      DevicePath.Receiver receiver,
      DataPathListener listener) {
    this.sockets = new LinkSockets(loop, mark, role.mobility(), receiver, this);
    this.present = sockets.present();
    this.probes = new PathProbes(present);
    this.liveness = new PathLiveness(present, probes, role.measuring(), this);
    this.nearest = new NearestPath(listener);
    this.listener = listener;
  }

  /// Takes a new session. All its paths are unknown.
  void begin(TunnelSession begun, Remotes to, long nowNs) {
    session = begun;
    probes.begin(begun, nowNs);
    liveness.begin(begun);
    peers = to;
    sockets.reconcile(begun.pathsMax(), peers, nowNs);
    for (DevicePath each : present) {
      each.networkChanged(nowNs);
      begun.outer(each.id, each.header(), nowNs);
      begun.link(each.id, each.toldLink());
      each.offeredBytes = 0;
      each.use = PathUse.NO;
    }
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
    probes.end();
    liveness.end();
    nearest.end();
    bursts().end();
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

  /// Returns how often a path has been found alive or dead.
  int findings() {
    return findings;
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

  // --- changes of the sockets

  @Override
  public void closing(DevicePath path, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      of.use(path.id, PathUse.NO, nowNs);
      of.pathChanged(path.id);
      probes.decided(nowNs);
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
      nearest.readdressed(path, name(path), cause);
      of.outer(path.id, path.header(), nowNs);
      if (!path.isUnknownInBothFamilies()) {
        of.pathChanged(path.id); // a padded message follows the next probe
      }
    }
  }

  @Override
  public void readdressed(DevicePath path, long nowNs) {
    probes.probe(path, nowNs);
  }

  // --- which paths carry data

  private void decide(long nowNs) {
    TunnelSession of = session;
    if (of == null) {
      return;
    }
    liveness.pace(nowNs);
    // A path that takes over comes first: until then packets go by those that it replaces.
    boolean begins = follow(of, true, nowNs);
    boolean ends = follow(of, false, nowNs);
    if (begins || ends) {
      probes.decided(nowNs);
      carrying.note(present);
    }
    DevicePath to = find(of.nearestPath());
    if (to != null) {
      nearest.note(to, name(to), find(nearest.id()));
    }
    probes.tell(nowNs);
  }

  /// Makes the changes of use to YES, or all others. @return true if there was one
  private boolean follow(TunnelSession of, boolean toYes, long nowNs) {
    boolean changed = false;
    for (DevicePath each : present) {
      PathUse use = UseRule.of(each, present, nowNs);
      if (use != each.use && toYes == (use == PathUse.YES)) {
        each.use(use, nowNs);
        of.use(each.id, use, nowNs);
        changed = true;
      }
    }
    return changed;
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
    boolean confirmed = probes.answered(roundTripNs, nowNs);
    boolean found = liveness.answered(path, smoothedNs, nowNs);
    if (found) {
      findings++;
      decide(nowNs);
      carrying.note(present); // an only path is in use before it answers
    }
    probes.measured(path, smoothedNs, nowNs);
    return found || confirmed;
  }

  /// Handles what is due.
  ///
  /// @param by carrier of the data
  /// @return true if the last live path has died
  boolean tick(Carrier by, long nowNs) {
    if (session == null) {
      return false;
    }
    boolean died = false;
    sockets.tick(nowNs);
    for (DevicePath each : List.copyOf(present)) {
      sockets.tryOtherFamily(each, peers, nowNs);
      died |= liveness.tick(each, by, nowNs);
    }
    findings += died ? 1 : 0;
    liveness.measure(nowNs);
    probes.compare(nowNs);
    published.renew(nowNs);
    decide(nowNs);
    return died && liveness.isSearching();
  }

  /// Returns the time of the next [#tick].
  long nextTickNs(long nowNs) {
    long next = Math.min(probes.dueNs(), sockets.nextTickNs());
    return Math.min(next, liveness.nextTickNs(nowNs));
  }

  @Override
  public void left(DevicePath path, DevicePath to, long nowNs) {
    bursts().left(path);
    listener.pathLeft(
        new LeftPath(path.linkName(), peers.places().get(path.place), name(path), name(to)));
  }

  // --- the parts

  LinkSockets sockets() {
    return sockets;
  }

  WaitingBursts bursts() {
    return sockets.bursts();
  }

  PathProbes probes() {
    return probes;
  }

  PathLiveness liveness() {
    return liveness;
  }

  CarryingLinks carrying() {
    return carrying;
  }

  PublishedPaths published() {
    return published;
  }

  // --- what is shown

  /// Returns the name of a path in messages: its link, and its address if that distinguishes paths.
  String name(DevicePath path) {
    return peers.places().size() == 1
        ? path.linkName()
        : path.linkName() + " to " + path.remoteName();
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

  @Override
  public void close() {
    sockets.close();
  }
}
