package io.viaduct.tunnel.flow;

/// Values of a flow's route that are no path (docs/protocol.md section 3.3, FLOW_ROUTE).
public final class FlowRoute {
  /// Each end chooses the path of its packets by the flow's class.
  public static final int ANY = 255;

  /// The rule allows no path that works: packets are dropped.
  public static final int NONE = 254;

  private FlowRoute() {}
}
