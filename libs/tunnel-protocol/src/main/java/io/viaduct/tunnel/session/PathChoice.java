package io.viaduct.tunnel.session;

import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.path.FlapHold;
import io.viaduct.tunnel.wire.ServiceClass;
import org.jspecify.annotations.Nullable;

/// Chooses the path of each packet that leaves.
///
/// - Low-delay classes take the path with the least round trip. Each percent of loss counts as 10
///   ms, because what is lost comes a round trip later or never, and so does each percent that the
///   path is too slow for. Each class has a choice of its own ([NearestPath]).
/// - While that path loses, packets of low-delay classes take a second path too. When a path begins
///   to lose, those that it has carried lately take another one again ([RecentBursts]).
/// - A flow of another class stays on one path. It begins on the path with the most spare rate
///   ([SessionPath#sparePerSecond]), and moves if its own path has a standing queue and another one
///   has none: at most one flow moves per half second. A flow that has moved stays for the hold
///   time of [NearestPath]. A flow that would fill the other path too is spread over both
///   ([FlowSpreading]). It also leaves a path that loses 5 %, while another one does not.
/// - A flow with a route takes that path, or two paths, or its path by rate: a rule of the device
///   has chosen it. While the path of a route leads nowhere, the flow has none, until the device
///   tells another one; but one that the rule binds to the path waits, or is dropped.
/// - A path that packets may no longer leave by is left at once.
final class PathChoice {
  /// Time between two moves of flows because of their rate.
  static final long MOVES_APART_NS = 500_000_000;

  /// Loss from which a path is losing, and loss at which it has healed.
  static final double LOSING_RATIO = 0.01;

  static final double HEALED_RATIO = 0.003;

  /// Loss of about ten seconds from which flows that count rate leave a path, and at which they may
  /// return. That of one second would also be the overshoot of a TCP connection that begins.
  static final double BAD_RATIO = 0.05;

  static final double MENDED_RATIO = 0.02;

  /// Time between two looks at the delays.
  private static final long LOOK_NS = 10_000_000;

  private final SessionPaths paths;
  private final FlowSpreading spreading;
  private final boolean copies;

  /// The choice of LT_LD, of control records, and of all packets that follow neither.
  private final NearestPath nearest;

  /// The choice of HT_LD: a path that carries a call may be too slow for a film.
  private final NearestPath nearestOfMuch;

  private long lookedNs;
  private long movedNs;

  /// @param copies true if the ends have agreed on datagrams that travel by two paths
  PathChoice(SessionPaths paths, FlowSpreading spreading, boolean copies, long nowNs) {
    this.paths = paths;
    this.spreading = spreading;
    this.copies = copies;
    nearest = new NearestPath(paths, ServiceClass.LT_LD, nowNs);
    nearestOfMuch = new NearestPath(paths, ServiceClass.HT_LD, nowNs);
    lookedNs = nowNs - LOOK_NS;
    movedNs = nowNs - MOVES_APART_NS;
  }

  /// Returns the path of a packet. The second path, if it takes one, is set in its flow.
  ///
  /// @param flow null for a packet without a flow
  /// @param bytes length of the packet
  /// @return null if a rule of the device allows no path that works
  @Nullable SessionPath of(
      @Nullable FlowState flow, ServiceClass serviceClass, int bytes, long nowNs) {
    if (flow == null) {
      return nearest(nowNs);
    }
    if (flow.isSpread() && !mayBeSpread(flow, serviceClass)) {
      flow.spread(null); // its route or class has changed
    }
    return switch (routeOf(flow)) {
      case FlowRoute.ANY ->
          serviceClass.isLowDelay()
              ? nearestWithCopy(flow, serviceClass, true, bytes, nowNs)
              : spreadOrByRate(flow, serviceClass, false, nowNs);
      case FlowRoute.TWO_PATHS -> nearestWithCopy(flow, serviceClass, false, bytes, nowNs);
      case FlowRoute.TWO_PATHS_WHILE_LOSING ->
          nearestWithCopy(flow, serviceClass, true, bytes, nowNs);
      case FlowRoute.SPREAD -> spreadOrByRate(flow, serviceClass, true, nowNs);
      case FlowRoute.MOST_SPARE -> byRate(flow, serviceClass, false, nowNs);
      default -> routed(flow, nowNs);
    };
  }

  /// Returns the route that counts now.
  private int routeOf(FlowState flow) {
    int route = flow.route();
    boolean isGone =
        FlowRoute.isPath(route)
            && !FlowRoute.isBinding(route)
            && !paths.isInUse(FlowRoute.path(route));
    return isGone ? FlowRoute.ANY : route;
  }

  private boolean mayBeSpread(FlowState flow, ServiceClass serviceClass) {
    int route = routeOf(flow);
    return route == FlowRoute.SPREAD || route == FlowRoute.ANY && !serviceClass.isLowDelay();
  }

  /// Returns the path of a packet whose flow counts rate.
  ///
  /// @param always true if a rule of the device spreads the flow
  private SessionPath spreadOrByRate(
      FlowState flow, ServiceClass serviceClass, boolean always, long nowNs) {
    flow.copyPath(FlowState.NO_PATH);
    if (always && flow.spread() == null && spreading.mayBe(flow)) {
      spreading.begin(flow, nowNs);
    }
    SessionPath spread = spreading.pathOf(flow, serviceClass, always, nowNs);
    if (spread != null) {
      return note(flow, spread, nowNs);
    }
    return byRate(flow, serviceClass, true, nowNs);
  }

  /// Returns the one path of a packet whose flow counts rate.
  ///
  /// @param mayBeSpread true if the flow may be spread instead of moving
  private SessionPath byRate(
      FlowState flow, ServiceClass serviceClass, boolean mayBeSpread, long nowNs) {
    flow.copyPath(FlowState.NO_PATH);
    SessionPath[] usable = paths.usable();
    if (usable.length == 1) {
      return note(flow, usable[0], nowNs);
    }
    lookIfDue(nowNs);
    SessionPath own = paths.find(flow.path());
    boolean full = own != null && own.isFull(serviceClass, nowNs);
    if (own != null && paths.isUsable(own) && !own.bad && !full) {
      return own;
    }
    SessionPath most = mostSpare(nowNs);
    if (own == null || !paths.isUsable(own) || own.bad && !most.bad) {
      return note(flow, most, nowNs);
    }
    if (!full || most == own || most.isFull(serviceClass, nowNs)) {
      return own;
    }
    if (nowNs - movedNs < MOVES_APART_NS || !mayMove(flow, nowNs)) {
      return own;
    }
    if (mayBeSpread && spreading.stays(flow, own, nowNs)) {
      return own;
    }
    movedNs = nowNs;
    return moved(flow, most, nowNs);
  }

  /// Returns the reason for which a flow has its path.
  PathReason reason(FlowState flow, long nowNs) {
    PathReason.Kind kind = kind(flow, nowNs);
    if (kind == PathReason.Kind.DELAY) {
      return nearestOf(flow.serviceClass()).reason(flow, nowNs);
    }
    FlapHold hold = flow.moveHold();
    long holdNs = kind == PathReason.Kind.FULL && hold != null ? hold.holdNs(nowNs) : 0;
    return new PathReason(
        kind, flow.path(), flow.copyPath(), flow.pathSinceNs(), FlowState.NO_PATH, nowNs, holdNs);
  }

  private PathReason.Kind kind(FlowState flow, long nowNs) {
    int route = routeOf(flow);
    SessionPath own = paths.find(flow.path());
    if (route == FlowRoute.NONE) {
      return PathReason.Kind.FORBIDDEN;
    } else if (own == null) {
      return PathReason.Kind.UNUSED;
    } else if (FlowRoute.isPath(route)) {
      return PathReason.Kind.RULE;
    } else if (paths.usable().length == 1) {
      return PathReason.Kind.ONLY;
    } else if (route == FlowRoute.TWO_PATHS
        || route == FlowRoute.TWO_PATHS_WHILE_LOSING
        || route == FlowRoute.ANY && flow.serviceClass().isLowDelay()) {
      return PathReason.Kind.DELAY;
    } else if (flow.isSpread()) {
      return PathReason.Kind.SPREAD;
    } else if (own.bad) {
      return PathReason.Kind.BAD;
    }
    return own.isFull(flow.serviceClass(), nowNs) ? PathReason.Kind.FULL : PathReason.Kind.RATE;
  }

  private static boolean mayMove(FlowState flow, long nowNs) {
    FlapHold hold = flow.moveHold();
    return hold == null || hold.isOver(flow.pathSinceNs(), nowNs);
  }

  private static SessionPath moved(FlowState flow, SessionPath to, long nowNs) {
    FlapHold before = flow.moveHold();
    FlapHold hold = before == null ? NearestPath.hold() : before;
    hold.changed(nowNs);
    flow.moveHold(hold);
    return note(flow, to, nowNs);
  }

  /// Returns the path that a rule has chosen, null if it does not work.
  private @Nullable SessionPath routed(FlowState flow, long nowNs) {
    flow.copyPath(FlowState.NO_PATH);
    SessionPath path = paths.find(FlowRoute.path(flow.route()));
    if (path == null || path.use == PathUse.NO) {
      return null;
    }
    return note(flow, path, nowNs);
  }

  /// Returns the nearest path, and sets the second one if the packets of the flow take it too.
  ///
  /// @param whileLosing true if they take it only while the nearest path loses; it may then be a
  ///   spare one
  private SessionPath nearestWithCopy(
      FlowState flow, ServiceClass serviceClass, boolean whileLosing, int bytes, long nowNs) {
    lookIfDue(nowNs);
    NearestPath choice = nearestOf(serviceClass);
    if (serviceClass.isLowDelay()) {
      choice.offered(bytes); // bulk on two paths says nothing about a chat
    }
    SessionPath first = choice.get();
    SessionPath other = whileLosing ? choice.secondOrSpare() : choice.second();
    boolean wanted = copies && (!whileLosing || first.losing);
    flow.copyPath(wanted && other != null ? other.id : FlowState.NO_PATH);
    return note(flow, first, nowNs);
  }

  private NearestPath nearestOf(ServiceClass serviceClass) {
    return serviceClass == ServiceClass.HT_LD ? nearestOfMuch : nearest;
  }

  /// Returns the path of control records, and of packets without a flow.
  SessionPath nearest(long nowNs) {
    lookIfDue(nowNs);
    return nearest.get();
  }

  private void lookIfDue(long nowNs) {
    if (nowNs - lookedNs >= LOOK_NS
        || !paths.isUsable(nearest.get())
        || !paths.isUsable(nearestOfMuch.get())) {
      lookedNs = nowNs;
      look(nowNs);
    }
  }

  /// Returns the path of the last look.
  SessionPath nearest() {
    return nearest.get();
  }

  private static SessionPath note(FlowState flow, SessionPath path, long nowNs) {
    flow.path(path.id, nowNs);
    return path;
  }

  private void look(long nowNs) {
    SessionPath begins = null;
    for (SessionPath each : paths.usable()) {
      double lost = each.loss.recent(nowNs);
      boolean wasLosing = each.losing;
      each.losing = lost >= (each.losing ? HEALED_RATIO : LOSING_RATIO);
      begins = each.losing && !wasLosing ? each : begins;
      each.bad = each.loss.longTerm(nowNs) >= (each.bad ? MENDED_RATIO : BAD_RATIO);
    }
    nearest.look(nowNs);
    nearestOfMuch.look(nowNs);
    if (begins != null) {
      repeat(begins, nowNs);
    }
  }

  private void repeat(SessionPath losing, long nowNs) {
    SessionPath other = losing == nearest.get() ? nearest.secondOrSpare() : nearest.get();
    if (copies && other != null) {
      losing.recent.moveAllTo(other.repeats, nowNs);
    }
  }

  /// Returns the path with the most spare rate, of those that are not bad if there is one. Of paths
  /// with the same, the nearest one.
  private SessionPath mostSpare(long nowNs) {
    SessionPath most = paths.usable()[0];
    for (SessionPath each : paths.usable()) {
      if (RateOrder.isBefore(
          each.bad,
          each.sparePerSecond(nowNs),
          each.delayUs(nowNs),
          most.bad,
          most.sparePerSecond(nowNs),
          most.delayUs(nowNs))) {
        most = each;
      }
    }
    return most;
  }
}
