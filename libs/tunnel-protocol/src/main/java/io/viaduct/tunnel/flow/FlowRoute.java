package io.viaduct.tunnel.flow;

/// Values of a flow's route: the id of a path, a path to which a rule binds the flow ([#bound]), or
/// one of the constants (docs/protocol.md section 3.3, FLOW_ROUTE).
public final class FlowRoute {
  /// Each end chooses the path of its packets by the flow's class.
  public static final int ANY = 255;

  /// Every packet travels by two paths.
  public static final int TWO_PATHS = 253;

  /// Packets take the path with the least round trip, and a second one too while that path loses.
  public static final int TWO_PATHS_WHILE_LOSING = 252;

  /// Each packet of a TCP or UDP flow takes the path by which it is expected to arrive first.
  public static final int SPREAD = 251;

  /// Packets of each end take its path with the most spare rate in their direction.
  public static final int MOST_SPARE = 250;

  /// The rule allows no path that works: packets are dropped.
  public static final int NONE = 254;

  // More than this is the id of a path to which a rule binds the flow (BOUND_ROUTES).
  private static final int BOUND = 240;

  private FlowRoute() {}

  /// Returns the route of a flow that a rule binds to one path.
  ///
  /// @param path its id
  public static int bound(int path) {
    return BOUND + path;
  }

  /// Returns whether a route is a path.
  public static boolean isPath(int route) {
    return route < MOST_SPARE;
  }

  /// Returns the id of the path of a route that is one.
  public static int path(int route) {
    return route < BOUND ? route : route - BOUND;
  }

  /// Returns whether a route binds a flow to one path, or to none: its packets may leave by no
  /// other one, also if that path is lost.
  public static boolean isBinding(int route) {
    return route == NONE || route >= BOUND && isPath(route);
  }

  /// Returns whether packets of a flow that wait may leave by a path.
  ///
  /// @param path its id
  public static boolean letsLeaveBy(int route, int path) {
    return !isBinding(route) || route != NONE && path(route) == path;
  }
}
