package io.viaduct.cnapt.tunnel;

import io.viaduct.cnapt.policy.Decision;
import io.viaduct.cnapt.policy.FlowFacts;
import io.viaduct.cnapt.policy.FlowPlacement;
import io.viaduct.cnapt.policy.Policy;
import io.viaduct.cnapt.policy.SessionPlacements;
import io.viaduct.tunnel.flow.FlowRoute;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.session.TunnelSession;
import org.jspecify.annotations.Nullable;

/// Applies the operator's rules to flows: a flow that one of them decides about takes only the
/// paths of its method, in both directions. All other flows are left to each end's own choice,
/// which follows the built-in rules. Owner: the data path's event loop.
///
/// A flow is looked at when it sends, five times a second at most. The SNAPT is told again every
/// two seconds while the flow sends.
final class FlowRoutes {
  private static final long LOOK_NS = 200_000_000;
  private static final long TELL_NS = 2_000_000_000L;

  private final PathsView paths;
  private Policy policy;
  private SessionPlacements placements;
  private @Nullable TunnelSession session;

  FlowRoutes(Policy policy, PathsView paths) {
    this.policy = policy;
    this.placements = new SessionPlacements(policy);
    this.paths = paths;
  }

  /// Takes a new session; nothing that an earlier one held on to counts.
  void begin(TunnelSession begun) {
    session = begun;
    placements = new SessionPlacements(policy);
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
            route(in, flow, note, FlowRoute.ANY, nowNs);
          }
        });
  }

  /// Looks at a flow that sends a packet.
  void offered(FlowState flow, FlowNote note, long nowNs) {
    TunnelSession in = session;
    if (in == null || nowNs - note.lookedNs < LOOK_NS || !paths.areMany()) {
      return;
    }
    long bitPerSecond = note.bitPerSecond(flow.sent().preBytes(), nowNs);
    FlowPlacement placement = placement(flow, note);
    if (placement.line().isBuiltIn()) {
      return;
    }
    Decision decision =
        placement.decide(paths.snapshots(nowNs), nowNs - flow.openedNs(), bitPerSecond, nowNs);
    int route = route(decision, in);
    if (route != flow.route() || nowNs - note.toldNs >= TELL_NS) {
      route(in, flow, note, route, nowNs);
    }
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
  private static int route(Decision decision, TunnelSession in) {
    if (decision.paths().isEmpty()) {
      return FlowRoute.NONE;
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

  private static void route(
      TunnelSession in, FlowState flow, FlowNote note, int route, long nowNs) {
    note.toldNs = nowNs;
    in.route(flow, route, nowNs);
  }

  private static FlowFacts facts(FlowState flow, FlowNote note) {
    return new FlowFacts(FlowClasses.identity(flow), flow.remoteAddress(), note.application);
  }
}
