package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// Gives each new flow its class, lets the rules choose its path, and shows the first packets of a
/// TCP flow to its [FlowNote].
final class FlowObserver implements FlowListener {
  /// Hears of the flows that open and end.
  interface Changes {
    /// Called for a flow that has its class, or is about to leave.
    void changed(FlowState flow, boolean isOpen);
  }

  private final FlowClasses classes;
  private final FlowRoutes routes;
  private final Changes changes;

  FlowObserver(FlowClasses classes, FlowRoutes routes, Changes changes) {
    this.classes = classes;
    this.routes = routes;
    this.changes = changes;
  }

  @Override
  public void opened(FlowState flow) {
    if (!(flow.attachment() instanceof FlowNote)) {
      classes.classify(flow);
      changes.changed(flow, true);
    }
  }

  @Override
  public void offered(FlowState flow, IpPacket packet, long nowNs) {
    if (flow.attachment() instanceof FlowNote note) {
      if (flow.protocol() == IpFields.TCP) {
        note.sees(packet);
      }
      routes.offered(flow, note, nowNs);
    }
  }

  @Override
  public void ended(FlowState flow, FlowEnd reason) {
    changes.changed(flow, false);
    flow.attach(null);
  }
}
