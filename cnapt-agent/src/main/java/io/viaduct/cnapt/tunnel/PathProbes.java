package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.path.Carrier;
import io.viaduct.tunnel.session.PathUse;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sends the probes of the paths that a search for a silent path does not: they tell the SNAPT the
/// use of the paths ([UseAnnouncement]) and changed round trips, and compare the paths
/// ([PathComparison]). Owner: the data path's event loop.
final class PathProbes {
  /// Least time between probes of a spare path that a search for it does not send.
  static final long SPARE_NS = 25_000_000_000L;

  private final List<DevicePath> present;
  private final UseAnnouncement announcement = new UseAnnouncement();
  private final PathComparison comparison = new PathComparison(0);
  private @Nullable TunnelSession session;

  /// @param present the paths with an open socket; the owner changes it
  PathProbes(List<DevicePath> present) {
    this.present = present;
  }

  void begin(TunnelSession begun, long nowNs) {
    session = begun;
    comparison.begin(nowNs);
  }

  void end() {
    session = null;
  }

  // --- probes that are wanted elsewhere

  /// Probes one path by UDP.
  void probe(DevicePath path, long nowNs) {
    probe(path, Carrier.UDP, nowNs);
  }

  /// Probes one path.
  void probe(DevicePath path, Carrier by, long nowNs) {
    TunnelSession of = session;
    if (of != null) {
      of.probe(path.id, by, nowNs);
      path.probedNs = by == Carrier.UDP ? nowNs : path.probedNs;
    }
  }

  /// Probes each path by UDP, while the control connection carries the data. Spare ones rest,
  /// unless all are spare.
  void byUdp(long nowNs) {
    boolean areAllSpare = present.stream().allMatch(DevicePath::isSpare);
    for (DevicePath each : present) {
      if (areAllSpare || !rests(each, nowNs)) {
        probe(each, nowNs);
      }
    }
  }

  /// Probes each path that is alive, except spare ones that rest.
  ///
  /// @param by carrier of the data
  void alive(Carrier by, long nowNs) {
    for (DevicePath each : present) {
      if (by == Carrier.UDP ? mayProbe(each, nowNs) : each.isAlive()) {
        probe(each, by, nowNs);
        if (by == Carrier.CONTROL) {
          return; // one is enough for the one control connection
        }
      }
    }
  }

  // --- the use of the paths

  /// Takes a new decision about the use of the paths, which [#tell] tells the SNAPT.
  void decided(long nowNs) {
    announcement.decided(nowNs);
  }

  /// Tells the SNAPT the use of all paths, if that is due.
  void tell(long nowNs) {
    if (areMany() && announcement.takeDue(nowNs)) {
      for (DevicePath each : present) {
        if (mayProbe(each, nowNs)) {
          probe(each, nowNs);
        }
      }
    }
  }

  private boolean areMany() {
    TunnelSession of = session;
    return of != null && of.pathsMax() > 1;
  }

  /// Returns whether a path may be probed for the sake of others. A spare one rests, unless no
  /// other path is alive.
  private boolean mayProbe(DevicePath path, long nowNs) {
    return path.isAlive() && (!rests(path, nowNs) || PathComparison.carrying(present) == 0);
  }

  /// Returns whether a path is a spare one that was probed within [#SPARE_NS]: each probe wakes its
  /// radio.
  private static boolean rests(DevicePath path, long nowNs) {
    return path.isSpare() && path.use != PathUse.YES && nowNs - path.probedNs < SPARE_NS;
  }

  /// Takes the answer to a probe. @return true if the SNAPT now knows the present use of the paths
  boolean answered(long roundTripNs, long nowNs) {
    return announcement.answered(roundTripNs, nowNs);
  }

  // --- round trips

  /// Takes a round trip of a path. Tells the SNAPT if it has changed, and probes the other paths if
  /// this one gets worse: an idle one was measured some time ago, and packets are about to be moved
  /// by that value.
  void measured(DevicePath path, long smoothedNs, long nowNs) {
    TunnelSession of = session;
    if (of == null || path.use != PathUse.YES) {
      return;
    }
    if (of.getsWorse(path.id) && comparison.takeWorse(nowNs)) {
      for (DevicePath each : present) {
        if (each != path && mayProbe(each, nowNs)) {
          probe(each, nowNs);
        }
      }
    }
    if (areMany() && PathComparison.isNews(path.toldRoundTripNs, smoothedNs, path.toldNs, nowNs)) {
      path.toldRoundTripNs = smoothedNs;
      path.toldNs = nowNs;
      probe(path, nowNs);
    }
  }

  /// Notes traffic of any path.
  void carried(int bytes) {
    comparison.carried(bytes);
  }

  /// Probes the paths that carry all the time, if their traffic makes that due.
  void compare(long nowNs) {
    if (comparison.takeDue(PathComparison.carrying(present), nowNs)) {
      for (DevicePath each : present) {
        if (each.use == PathUse.YES && each.isAlive()) {
          probe(each, nowNs);
        }
      }
    }
  }

  /// Returns the time at which [#tell] or [#compare] is due.
  long dueNs() {
    long tellNs = areMany() ? announcement.dueNs() : Long.MAX_VALUE;
    return Math.min(tellNs, comparison.dueNs(PathComparison.carrying(present)));
  }
}
