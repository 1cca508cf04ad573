package io.viaduct.diameter.peer;

import java.net.InetAddress;

/// An open transport connection. Only the node's event loop uses it.
interface Connection {
  /// Sends the octets of a message. A peer that does not read is disconnected instead.
  void send(byte[] octets);

  /// Returns false if the peer reads so slowly that too many octets wait.
  boolean isWritable();

  void close();

  /// Returns the address of the other end.
  InetAddress remote();
}
