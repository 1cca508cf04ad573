package io.viaduct.cnapt.tunnel;

import io.netty.channel.IoEventLoop;
import io.viaduct.cnapt.links.Remotes;
import io.viaduct.cnapt.links.UsableLink;
import io.viaduct.cnapt.mobility.MobilitySettings;
import io.viaduct.host.udp.UdpSettings;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Opens and closes the sockets of the device's paths, one per pair of a usable link and a place of
/// the other end. With an end that allows one path only, or while no link has a default route of
/// its own, there is one socket per place, which the kernel routes. What exceeds the number of
/// paths that the session may have gets no socket, and is counted. Owner: the data path's event
/// loop.
final class LinkSockets implements AutoCloseable {
  /// Receives the changes that concern the session.
  interface Listener {
    /// Called for a path whose link is gone or may not be used any more. Nothing leaves by it
    /// afterwards; its socket still receives for a while.
    void closing(DevicePath path, long nowNs);

    /// Called for a new path.
    void opened(DevicePath path, long nowNs);

    /// Called for a path whose addresses are all gone, or which leads to another address.
    ///
    /// @param cause `address`, or `family` for another address family of the same link
    void moved(DevicePath path, String cause, long nowNs);

    /// Called for a path whose link has got or lost an address, and which goes on.
    void readdressed(DevicePath path, long nowNs);
  }

  private static final Logger LOG = LoggerFactory.getLogger(LinkSockets.class);
  private static final int PEERS_REMEMBERED = 16;
  private static final int PATHS_REMEMBERED = 32;

  private final IoEventLoop loop;
  private final int mark;
  private final MobilitySettings mobility;
  private final DevicePath.Receiver receiver;
  private final Listener listener;
  private final List<DevicePath> present = new ArrayList<>();
  private final List<UsableLink> links = new ArrayList<>();
  private final Map<String, HoldTime> holds =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, HoldTime> eldest) {
          return size() > PATHS_REMEMBERED;
        }
      };
  private final WaitingBursts bursts = new WaitingBursts(present);
  private final LeavingPaths leaving = new LeavingPaths();
  private int pathsMax;
  private volatile int refusedPairs; // written by the event loop

  /// @param mark SO_MARK of the sockets
  /// @param receiver takes what arrives by any path
  LinkSockets(
      IoEventLoop loop,
      int mark,
      MobilitySettings mobility,
      DevicePath.Receiver receiver,
      Listener listener) {
    this.loop = loop;
    this.mark = mark;
    this.mobility = mobility;
    this.receiver = receiver;
    this.listener = listener;
  }

  List<DevicePath> present() {
    return present;
  }

  @Nullable DevicePath find(int id) {
    for (int i = 0; i < present.size(); i++) {
      if (present.get(i).id == id) {
        return present.get(i);
      }
    }
    return null;
  }

  /// Takes a difference of the links that may be used.
  ///
  /// @param before null for a link that is new
  /// @param now null for a link that is gone
  void linkChanged(@Nullable UsableLink before, @Nullable UsableLink now) {
    links.remove(before);
    if (now != null) {
      links.add(now);
    }
  }

  /// Opens and closes paths until there is one per pair of a link that can be used and a place.
  ///
  /// @param paths number of paths that the session may have
  /// @param peers the SNAPT's addresses; a link without a family of these cannot be used
  void reconcile(int paths, Remotes peers, long nowNs) {
    pathsMax = paths;
    List<PathEnds> wanted = wanted(paths, peers);
    for (DevicePath each : List.copyOf(present)) {
      PathEnds kept = wanted.stream().filter(ends -> ends.areOf(each)).findFirst().orElse(null);
      if (kept == null) {
        close(each, nowNs);
      } else {
        follow(each, kept.link(), peers, nowNs);
      }
    }
    openMissing(wanted, peers, nowNs);
    if (present.isEmpty()) {
      openMissing(first(PathEnds.routed(peers), paths), peers, nowNs);
    }
  }

  private void openMissing(List<PathEnds> wanted, Remotes peers, long nowNs) {
    for (PathEnds ends : wanted) {
      if (present.stream().noneMatch(ends::areOf)) {
        open(ends, peers, nowNs);
      }
    }
  }

  private List<PathEnds> wanted(int paths, Remotes peers) {
    List<PathEnds> all =
        paths == 1 ? PathEnds.routed(peers) : PathEnds.of(List.copyOf(links), peers);
    int refused = Math.max(0, all.size() - paths);
    if (refused > refusedPairs) {
      LOG.warn(
          "{} pairs of a link and an address of the other end, {} may be paths: these are not used: {}",
          all.size(),
          paths,
          all.subList(paths, all.size()).stream()
              .map(ends -> ends.linkName() + " to place " + (ends.place() + 1))
              .collect(Collectors.joining(", ")));
    }
    refusedPairs = refused;
    return first(all, paths);
  }

  private static List<PathEnds> first(List<PathEnds> all, int paths) {
    return all.subList(0, Math.min(paths, all.size()));
  }

  /// Returns the number of pairs that are no path, because the session may have no more.
  int refusedPairs() {
    return refusedPairs;
  }

  /// Takes a change of the link or of the SNAPT's addresses. If no address of the path is left, it
  /// is on another network. An address more, or one of another family, changes nothing of what was
  /// measured; the kernel may send from it, so the SNAPT is told.
  ///
  /// @param now null for the path of the socket that the kernel routes
  private void follow(DevicePath path, @Nullable UsableLink now, Remotes peers, long nowNs) {
    UsableLink before = path.link;
    path.link = now;
    boolean changed = before != null && now != null && !before.sources().equals(now.sources());
    if (lead(path, peers) || changed && path.isRenumbered()) {
      path.networkChanged(nowNs);
      listener.moved(path, "address", nowNs);
    } else if (changed) {
      listener.readdressed(path, nowNs);
    }
  }

  /// Lets a path of both address families try the other one if the SNAPT does not answer. Its
  /// probes keep their pace.
  void tryOtherFamily(DevicePath path, Remotes peers, long nowNs) {
    path.alternate(nowNs);
    if (lead(path, peers)) {
      listener.moved(path, "family", nowNs);
    }
  }

  /// Leads a path to its address. @return true if that is another one
  private static boolean lead(DevicePath path, Remotes peers) {
    InetSocketAddress to = path.choose(peers);
    if (to == null || to.equals(path.sink.peer())) {
      return false;
    }
    path.sink.peer(to);
    return true;
  }

  private void open(PathEnds ends, Remotes peers, long nowNs) {
    UsableLink link = ends.link();
    InetSocketAddress peer = peers.of(link, ends.place(), false);
    if (peer == null) {
      return;
    }
    int id = leaving.makeRoom(ends, present, pathsMax);
    UdpSettings settings =
        UdpSettings.at(new InetSocketAddress(0)).marked(mark).remembering(PEERS_REMEMBERED);
    UdpSettings bound = link == null ? settings : settings.onDevice(link.name());
    try {
      String name = holdName(ends.linkName(), ends.place());
      HoldTime hold = holds.computeIfAbsent(name, _ -> new HoldTime(nowNs));
      DevicePath path =
          new DevicePath(id, ends, loop, bound, peer, mobility, receiver, hold, nowNs);
      present.add(path);
      listener.opened(path, nowNs);
    } catch (SocketException e) {
      LOG.warn("link {} is not used: {}", ends.linkName(), e.getMessage());
    }
  }

  private static String holdName(String link, int place) {
    return link + " " + place;
  }

  private void close(DevicePath path, long nowNs) {
    present.remove(path);
    bursts.closing(path);
    if (path.link != null && path.link.isForbidden()) {
      holds.remove(holdName(path.linkName(), path.place)); // it did not fail
    } else {
      path.hold.left(nowNs);
    }
    listener.closing(path, nowNs);
    leaving.add(path, nowNs);
  }

  /// Closes the sockets by which nothing is under way any more.
  void tick(long nowNs) {
    leaving.tick(nowNs);
  }

  /// Returns the time of the next [#tick].
  long nextTickNs() {
    return leaving.nextTickNs();
  }

  /// Returns what waits for the sockets.
  WaitingBursts bursts() {
    return bursts;
  }

  @Override
  public void close() {
    bursts.close();
    leaving.close();
    present.forEach(DevicePath::close);
    present.clear();
  }
}
