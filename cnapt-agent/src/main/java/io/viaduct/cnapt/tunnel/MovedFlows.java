package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.flow.FlowTuple;
import io.viaduct.tunnel.session.TunnelSession;

/// Opens the flows of a session in the one that follows it at the same public address: their next
/// packets go there, whatever other SNAPTs the host uses.
final class MovedFlows {
  private MovedFlows() {}

  /// Passes the flows. A flow that a packet of the new session has opened already gets what was
  /// known of it.
  ///
  /// @param why for a person
  static void pass(TunnelSession from, TunnelSession to, String why, long nowNs) {
    from.flows()
        .forEach(flow -> {
          FlowState opened = flow.isEnding() ? null : to.flows().restore(FlowTuple.of(flow), nowNs);
          if (opened != null
              && opened.attachment() instanceof FlowNote note
              && flow.attachment() instanceof FlowNote before) {
            note.follow(before, flow.received().packets() > 0);
            Object former = before.placed;
            note.placed =
                former == null || former instanceof String ? why : ContinuedFlow.of(why, former);
          }
        });
  }
}
