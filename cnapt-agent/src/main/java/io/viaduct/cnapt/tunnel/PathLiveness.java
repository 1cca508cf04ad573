package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.mobility.PathWatch;
import io.viaduct.cnapt.mobility.SilenceWatch;
import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decides by which paths of the device the other end answers, and leaves a path that becomes
/// silent, unless no other path is alive. Owner: the data path's event loop.
final class PathLiveness {
  /// Hears of the paths that are left.
  interface Owner {
    /// Called when nothing arrives by a path, although its link is up.
    ///
    /// @param to a path that is alive
    void left(DevicePath path, DevicePath to, long nowNs);
  }

  private final List<DevicePath> present;
  private final PathProbes probes;
  private final RegularProbes regular;
  private final Owner owner;
  private @Nullable TunnelSession session;
  private boolean lastProbed;
  private Carrier carrier = Carrier.UDP;

  /// @param present the paths with an open socket; the owner changes it
  /// @param measuring the regular probes to a peer; null for none
  PathLiveness(
      List<DevicePath> present, PathProbes probes, @Nullable Measuring measuring, Owner owner) {
    this.present = present;
    this.probes = probes;
    this.regular = new RegularProbes(measuring);
    this.owner = owner;
  }

  void begin(TunnelSession begun) {
    session = begun;
  }

  void end() {
    session = null;
  }

  // --- what leaves and what arrives

  /// Notes the packets that were offered since the last call, so that silence is noticed.
  ///
  /// @return their bytes
  int offered(long nowNs) {
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
        probes.carried(some);
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
      probes.carried(length);
    }
  }

  /// Records the answer to a probe.
  ///
  /// @return true if it was the first one after a change of network or a silence
  boolean answered(DevicePath path, long smoothedNs, long nowNs) {
    path.silence.roundTrip(smoothedNs);
    path.answeredNs = nowNs;
    boolean found = path.watch.answered(nowNs, smoothedNs);
    if (found) {
      path.found(nowNs);
    }
    return found;
  }

  // --- time

  /// Handles what is due.
  ///
  /// @param by carrier of the data
  /// @return true if a path has died
  boolean tick(DevicePath path, Carrier by, long nowNs) {
    carrier = by;
    if (session == null) {
      return false;
    }
    SilenceWatch.Decision heard = path.silence.tick(nowNs);
    if (heard == SilenceWatch.Decision.PROBE) {
      probes.probe(path, nowNs);
    } else if (heard == SilenceWatch.Decision.LEAVE) {
      leave(path, nowNs);
    }
    if (!isWatched(path)) {
      return false;
    }
    PathWatch.Decision decision = path.watch.tick(nowNs);
    if (decision == PathWatch.Decision.WAIT) {
      return false;
    }
    boolean died = decision == PathWatch.Decision.PROBE_AND_REPORT_DEAD;
    if (died && by == Carrier.UDP) {
      path.died(nowNs);
    }
    probes.probe(path, by, nowNs);
    lastProbed |= otherThan(path) == null;
    return died;
  }

  // One path's watch is enough for the one control connection.
  private boolean isWatched(DevicePath path) {
    return carrier == Carrier.UDP || path == present.getFirst();
  }

  /// Tells each path whether another one is alive: then a search for it can take its time.
  void pace(long nowNs) {
    int alive = 0;
    for (int i = 0; i < present.size(); i++) {
      alive += present.get(i).isAlive() ? 1 : 0;
    }
    for (int i = 0; i < present.size(); i++) {
      DevicePath each = present.get(i);
      boolean isOther = alive > (each.isAlive() ? 1 : 0);
      PathWatch.Need need =
          !isOther
              ? PathWatch.Need.ONLY
              : each.isSpare() ? PathWatch.Need.SPARE : PathWatch.Need.FURTHER;
      each.watch.needed(need, nowNs);
    }
  }

  /// Sends the regular probes, if they are due. A path without an answer for too long is left.
  void measure(long nowNs) {
    if (!regular.takeDue(nowNs)) {
      return;
    }
    for (DevicePath each : List.copyOf(present)) {
      if (each.isAlive() && regular.isOverdue(each.answeredNs, nowNs)) {
        leave(each, nowNs);
      }
      probes.probe(each, nowNs);
    }
  }

  private void leave(DevicePath path, long nowNs) {
    DevicePath to = otherThan(path);
    if (to != null) {
      path.left(nowNs);
      owner.left(path, to, nowNs);
    }
  }

  /// Returns another path that is alive, null if there is none.
  private @Nullable DevicePath otherThan(DevicePath path) {
    for (DevicePath each : present) {
      if (each != path && each.isAlive()) {
        return each;
      }
    }
    return null;
  }

  /// Returns the time of the next [#tick] or [#measure].
  long nextTickNs(long nowNs) {
    long next = regular.dueNs();
    for (int i = 0; i < present.size(); i++) {
      DevicePath each = present.get(i);
      next = Math.min(next, each.nextTickNs(isWatched(each), nowNs));
    }
    return next;
  }

  // --- what is known

  /// Returns whether a probe left, since the last call, by a path that no other live path can
  /// replace. If it is not answered, UDP may be blocked.
  boolean takeLastProbed() {
    boolean probed = lastProbed;
    lastProbed = false;
    return probed;
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
}
