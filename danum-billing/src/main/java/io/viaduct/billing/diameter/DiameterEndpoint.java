package io.viaduct.billing.diameter;

import io.viaduct.diameter.peer.DiameterNode;
import java.util.Optional;

/// The Diameter node of this billing, if the configuration has one, and what answers its peers.
public final class DiameterEndpoint implements AutoCloseable {
  static final DiameterEndpoint NONE = new DiameterEndpoint(Optional.empty(), () -> {});

  private final Optional<DiameterNode> node;
  private final Runnable closing;

  DiameterEndpoint(Optional<DiameterNode> node, Runnable closing) {
    this.node = node;
    this.closing = closing;
  }

  /// Returns the port of the listener, or 0 if there is none.
  public int port() {
    return node.map(DiameterNode::port).orElse(0);
  }

  @Override
  public void close() {
    node.ifPresent(DiameterNode::close);
    closing.run();
  }
}
