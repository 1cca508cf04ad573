package io.viaduct.tunnel.flow;

/// Told when flows come and go; called on the session's event loop.
public interface FlowListener {
  /// The peer opened a flow; its first packet follows. Flows that this end opens come from
  /// `FlowTable.lookup`.
  default void opened(FlowState flow) {}

  /// The flow has ended and is out of the table; its counters are final.
  default void ended(FlowState flow, FlowEnd reason) {}

  /// Hears nothing.
  FlowListener SILENT = new FlowListener() {};
}
