package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.flow.FlowEnd;
import io.viaduct.tunnel.flow.FlowListener;
import io.viaduct.tunnel.flow.FlowState;
import io.viaduct.tunnel.wire.IpFields;
import io.viaduct.tunnel.wire.IpPacket;

/// Gives each new flow its class, and shows the first packets of a TCP flow to its [FlowNote].
final class FlowObserver implements FlowListener {
  private final FlowClasses classes;

  FlowObserver(FlowClasses classes) {
    this.classes = classes;
  }

  @Override
  public void opened(FlowState flow) {
    if (!(flow.attachment() instanceof FlowNote)) {
      classes.classify(flow);
    }
  }

  @Override
  public void offered(FlowState flow, IpPacket packet) {
    if (flow.protocol() == IpFields.TCP && flow.attachment() instanceof FlowNote note) {
      note.sees(packet);
    }
  }

  @Override
  public void ended(FlowState flow, FlowEnd reason) {
    flow.attach(null);
  }
}
