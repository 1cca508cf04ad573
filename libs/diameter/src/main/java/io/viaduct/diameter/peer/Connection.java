package io.viaduct.diameter.peer;

/// An open transport connection. Only the node's event loop uses it.
interface Connection {
  /// Sends the octets of a message.
  void send(byte[] octets);

  /// Returns false if the peer reads so slowly that too many octets wait.
  boolean isWritable();

  void close();
}
