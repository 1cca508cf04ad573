package io.viaduct.diameter.peer;

/// The node as its connections see it. Called on the event loop.
interface ConnectionListener {
  /// A peer has opened a connection.
  void accepted(Connection connection);

  /// The octets of one message have arrived, or the header of one that cannot be delimited.
  void received(Connection connection, byte[] octets);

  void disconnected(Connection connection);
}
