package io.viaduct.tunnel.flow;

/// Values of a flow's route that are no path (docs/protocol.md section 3.3, FLOW_ROUTE).
public final class FlowRoute {
  /// Each end chooses the path of its packets by the flow's class.
  public static final int ANY = 255;

  /// Every packet travels by two paths.
  public static final int TWO_PATHS = 253;

  /// Packets take the path with the least round trip, and a second one too while that path loses.
  public static final int TWO_PATHS_WHILE_LOSING = 252;

  /// Each packet of a TCP flow takes the path by which it is expected to arrive first.
  public static final int SPREAD = 251;

  /// Packets of each end take its path with the most spare rate in their direction.
  public static final int MOST_SPARE = 250;

  /// The rule allows no path that works: packets are dropped.
  public static final int NONE = 254;

  private FlowRoute() {}

  /// Returns whether a route is a path.
  public static boolean isPath(int route) {
    return route < MOST_SPARE;
  }
}
