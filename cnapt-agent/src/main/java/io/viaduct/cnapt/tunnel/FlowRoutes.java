package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.Decision;
import io.viaduct.cnapt.policy.FlowFacts;
import io.viaduct.cnapt.policy.FlowPlacement;
import io.viaduct.cnapt.policy.Method;
import io.viaduct.cnapt.policy.PathSnapshot;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.SessionPlacements;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Applies the operator's rules to flows: a flow that one of them decides about takes only the
/// paths of its method, in both directions. All other flows are left to each end's own choice,
/// which follows the built-in rules. Owner: the data path's event loop.
///
/// A flow is looked at when it sends, five times a second at most; all flows are when the use of a
/// path has changed, and those that carry packets once a second, because a flow may only receive.
/// The SNAPT is told again every two seconds while the flow carries packets, and three times after
/// a change of its route: the record may be lost, and with a route that allows no path the flow
/// carries nothing.
final class FlowRoutes {
  private static final long LOOK_NS = 200_000_000;
  private static final long TELL_NS = 2_000_000_000L;

  /// Time between two looks at flows that may only receive, and between two tellings of a change.
  static final long REVIEW_NS = 1_000_000_000;

  /// Time after which what found no room among the control records is told again.
  private static final long ROOM_NS = 5_000_000;

  /// Times that a change is told.
  private static final int TELLINGS = 3;

  /// Most flows that are looked at together: the event loop has packets to carry.
  private static final int TOGETHER = 200;

  private final PathsView paths;
  private Policy policy;
  private SessionPlacements placements;
  private @Nullable TunnelSession session;
  private final Deque<FlowState> due = new ArrayDeque<>(); // flows to look at
  private int changes; // of the paths, at the last look at all flows
  private long reviewedNs;
  private boolean isTelling; // some flow must be told again

  FlowRoutes(Policy policy, PathsView paths) {
    this.policy = policy;
    this.placements = new SessionPlacements(policy);
    this.paths = paths;
  }

  /// Takes a new session; nothing that an earlier one held on to counts.
  void begin(TunnelSession begun, long nowNs) {
    session = begun;
    placements = new SessionPlacements(policy);
    due.clear();
    isTelling = false;
    lookAtAll(begun, nowNs);
  }

  /// Uses other rules for all flows from now on.
  void use(Policy next, long nowNs) {
    policy = next;
    placements = new SessionPlacements(next);
    TunnelSession in = session;
    if (in == null) {
      return;
    }
    in.flows()
        .forEach(flow -> {
          if (flow.attachment() instanceof FlowNote note) {
            note.placement = null;
            note.lookedNs = 0;
          }
        });
    lookAtAll(in, nowNs);
    follow(nowNs);
  }

  /// Takes the flows of another session, which this one carries from now on.
  void flowsMoved(long nowNs) {
    TunnelSession in = session;
    if (in != null) {
      lookAtAll(in, nowNs);
    }
  }

  /// Looks at a flow that sends a packet.
  void offered(FlowState flow, FlowNote note, long nowNs) {
    TunnelSession in = session;
    if (in == null || !paths.areMany()) {
      return;
    }
    if (changes(in) != changes) {
      follow(nowNs); // the path of the route may lead nowhere now
    }
    if (nowNs - note.lookedNs < LOOK_NS || placement(flow, note).line().isBuiltIn()) {
      return;
    }
    decide(in, flow, note, paths.snapshots(nowNs), nowNs);
    if (isToTell(flow, note, nowNs)) {
      tell(in, flow, note, nowNs);
    }
    isTelling |= note.tellings > 0;
  }

  /// Looks at the flows that a change of the paths concerns, and at those that may only receive.
  /// Called often.
  void follow(long nowNs) {
    TunnelSession in = session;
    if (in == null || !paths.areMany()) {
      return;
    }
    if (changes(in) != changes) {
      lookAtAll(in, nowNs);
    } else if (nowNs - reviewedNs >= REVIEW_NS && (isTelling || policy.hasOwnLines())) {
      review(in, nowNs);
    }
    work(in, nowNs);
  }

  /// Returns the time of the next [#follow] if nothing happens before.
  long dueNs(long nowNs) {
    if (!due.isEmpty()) {
      return nowNs + ROOM_NS;
    }
    return isTelling ? reviewedNs + REVIEW_NS : Long.MAX_VALUE;
  }

  private int changes(TunnelSession in) {
    return in.pathChanges() + paths.findings();
  }

  private void lookAtAll(TunnelSession in, long nowNs) {
    changes = changes(in);
    reviewedNs = nowNs;
    due.clear();
    if (!paths.areMany()) {
      return;
    }
    in.flows()
        .forEach(flow -> {
          if (flow.attachment() instanceof FlowNote note && isRouted(flow, note)) {
            note.tellings = Math.max(1, note.tellings);
            due.add(flow);
          }
        });
  }

  // By a line of the operator, now or before the lines were changed.
  private boolean isRouted(FlowState flow, FlowNote note) {
    return flow.route() != FlowRoute.ANY
        || policy.hasOwnLines() && !placement(flow, note).line().isBuiltIn();
  }

  private void review(TunnelSession in, long nowNs) {
    reviewedNs = nowNs;
    isTelling = false;
    due.clear();
    in.flows()
        .forEach(flow -> {
          if (flow.attachment() instanceof FlowNote note
              && (note.tellings > 0 || isRouted(flow, note) && note.hasCarried(flow))) {
            due.add(flow);
          }
        });
  }

  private void work(TunnelSession in, long nowNs) {
    if (due.isEmpty()) {
      return;
    }
    List<PathSnapshot> now = paths.snapshots(nowNs);
    for (int i = 0; i < TOGETHER && !due.isEmpty(); i++) {
      FlowState flow = due.element();
      if (!flow.hasEnded() && flow.attachment() instanceof FlowNote note) {
        decide(in, flow, note, now, nowNs);
        if (isToTell(flow, note, nowNs) && !tell(in, flow, note, nowNs)) {
          return; // no room now
        }
        isTelling |= note.tellings > 0;
      }
      due.remove();
    }
  }

  private void decide(
      TunnelSession in, FlowState flow, FlowNote note, List<PathSnapshot> now, long nowNs) {
    FlowPlacement placement = placement(flow, note);
    int route = FlowRoute.ANY;
    if (!placement.line().isBuiltIn()) {
      long bitPerSecond = note.bitPerSecond(flow.sent().preBytes(), LOOK_NS, nowNs);
      route = route(placement.decide(now, nowNs - flow.openedNs(), bitPerSecond, nowNs), in);
    }
    note.looked(flow);
    if (route != flow.route()) {
      boolean isFirst = note.toldNs == 0; // the flow repeats it: it is new, and so sends
      flow.route(route);
      note.tellings = isFirst ? 1 : TELLINGS;
    }
  }

  private static boolean isToTell(FlowState flow, FlowNote note, long nowNs) {
    return note.tellings > 0 || flow.route() != FlowRoute.ANY && nowNs - note.toldNs >= TELL_NS;
  }

  private static boolean tell(TunnelSession in, FlowState flow, FlowNote note, long nowNs) {
    if (!in.route(flow, flow.route(), nowNs)) {
      return false;
    }
    note.toldNs = nowNs;
    note.tellings = Math.max(0, note.tellings - 1);
    return true;
  }

  /// Returns the placement of a flow.
  FlowPlacement placement(FlowState flow, FlowNote note) {
    FlowPlacement known = note.placement;
    FlowPlacement placement = known == null ? placements.place(facts(flow, note)) : known;
    note.placement = placement;
    return placement;
  }

  /// Returns the route of a decision. Each end chooses the two paths of a copy, those of a spread
  /// flow, and the path with the most spare rate, by what it measures itself: a download counts the
  /// rate from the SNAPT. A SNAPT of the version before takes the path of this end for the latter.
  /// While no path answers, packets wait as those of other flows do, unless the rule names the
  /// link.
  private static int route(Decision decision, TunnelSession in) {
    if (decision.paths().isEmpty()) {
      return decision.step().method() == Method.OWN ? FlowRoute.NONE : FlowRoute.ANY;
    }
    return switch (decision.step().method()) {
      case ALL -> FlowRoute.TWO_PATHS;
      case LOWEST_DELAY_COPY -> FlowRoute.TWO_PATHS_WHILE_LOSING;
      case PACKET -> FlowRoute.SPREAD;
      case THROUGHPUT ->
          in.knows(FlowRoute.MOST_SPARE) ? FlowRoute.MOST_SPARE : decision.paths().getFirst().id();
      case OWN -> FlowRoute.bound(decision.paths().getFirst().id());
      case COST, LOWEST_DELAY -> decision.paths().getFirst().id();
    };
  }

  private static FlowFacts facts(FlowState flow, FlowNote note) {
    return new FlowFacts(FlowClasses.identity(flow), flow.remoteAddress(), note.application);
  }
}
