package io.viaduct.billing.diameter;

import io.viaduct.diameter.peer.DiameterNode;
import java.util.Optional;

/// The Diameter node of this billing, if the configuration has one, and what answers its peers.
public final class DiameterEndpoint implements AutoCloseable {
  static final DiameterEndpoint NONE = new DiameterEndpoint(Optional.empty(), () -> {}, () -> {});

  private final Optional<DiameterNode> node;
  private final Runnable server;
  private final Runnable records;

  /// @param server ends the answering of requests
  /// @param records ends the sending of records, before the node closes
  DiameterEndpoint(Optional<DiameterNode> node, Runnable server, Runnable records) {
    this.node = node;
    this.server = server;
    this.records = records;
  }

  /// Returns the port of the listener, or 0 if there is none.
  public int port() {
    return node.map(DiameterNode::port).orElse(0);
  }

  @Override
  public void close() {
    records.run();
    node.ifPresent(DiameterNode::close);
    server.run();
  }
}
