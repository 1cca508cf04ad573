package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowState;

/// Hears of the flows of an end, beside the class and the path that each gets. Called on the data
/// path's event loop.
interface FlowChanges {
  /// Ignores all flows.
  FlowChanges NONE = (_, _, _) -> {};

  /// Called when the session of an end is over, and its SNAPT is not expected again.
  default void gone(TunnelEnd end) {}

  /// Called when the flows of an end have moved to its present session, which another SNAPT has.
  default void moved(TunnelEnd end) {}

  /// Called for a flow that has opened or ended.
  void changed(TunnelEnd of, FlowState flow, boolean isOpen);

  /// Returns a listener that tells this one and another one.
  default FlowChanges and(FlowChanges other) {
    FlowChanges first = this;
    return new FlowChanges() {
      @Override
      public void changed(TunnelEnd of, FlowState flow, boolean isOpen) {
        first.changed(of, flow, isOpen);
        other.changed(of, flow, isOpen);
      }

      @Override
      public void moved(TunnelEnd end) {
        first.moved(end);
        other.moved(end);
      }

      @Override
      public void gone(TunnelEnd end) {
        first.gone(end);
        other.gone(end);
      }
    };
  }
}
