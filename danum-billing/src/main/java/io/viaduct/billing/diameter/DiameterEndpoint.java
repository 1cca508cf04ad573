package io.viaduct.billing.diameter;

import io.viaduct.diameter.peer.DiameterNode;
import java.util.Optional;

/// The Diameter node of this billing, if the configuration has one, and what answers its peers.
public final class DiameterEndpoint implements AutoCloseable {
  static final DiameterEndpoint NONE = new DiameterEndpoint(Optional.empty(), () -> {}, () -> {});

  private final Optional<DiameterNode> node;
  private final Runnable server;
  private final Runnable requests;

  /// @param server ends the answering of requests
  /// @param requests ends what sends requests, before the node closes
  DiameterEndpoint(Optional<DiameterNode> node, Runnable server, Runnable requests) {
    this.node = node;
    this.server = server;
    this.requests = requests;
  }

  /// Returns the port of the listener, or 0 if there is none.
  public int port() {
    return node.map(DiameterNode::port).orElse(0);
  }

  @Override
  public void close() {
    requests.run();
    node.ifPresent(DiameterNode::close);
    server.run();
  }
}
