package io.viaduct.tunnel.flow;

import io.viaduct.tunnel.wire.IpPacket;

/// Receives the openings and ends of flows. Called on the session's event loop.
public interface FlowListener {
  /// Reports a flow that either end has opened; its first packet follows.
  default void opened(FlowState flow) {}

  /// Reports a packet of the flow on its way into the tunnel. The packet is lent for the call.
  default void offered(FlowState flow, IpPacket packet, long nowNs) {}

  /// Reports a flow that has ended and left the table. Its counters are final.
  default void ended(FlowState flow, FlowEnd reason) {}

  /// Listener that ignores all calls.
  FlowListener SILENT = new FlowListener() {};
}
