package io.viaduct.sip.transport;

import java.net.InetSocketAddress;
import java.time.Duration;

/// How the sockets are opened.
///
/// @param bind wildcard keeps the listener alive over a change of network; port 0 takes a free one,
///   the same number for UDP and TCP
/// @param fwmark `SO_MARK` of every socket, 0 for none; needs CAP_NET_ADMIN
/// @param connections most TCP connections at a time, both directions
/// @param idle a TCP connection that delivers nothing for so long is closed
/// @param message a message on a stream that is not complete so long after its first byte ends its
///   connection
/// @param connectTimeout of a TCP connection that we open
public record SocketSettings(
    InetSocketAddress bind,
    int fwmark,
    int connections,
    Duration idle,
    Duration message,
    Duration connectTimeout) {
  public SocketSettings {
    if (bind.isUnresolved()) {
      throw new IllegalArgumentException("bind address must be numeric, got " + bind);
    }
    if (connections < 1
        || fwmark < 0
        || !idle.isPositive()
        || !message.isPositive()
        || !connectTimeout.isPositive()) {
      throw new IllegalArgumentException(
          "need connections >= 1, fwmark >= 0, idle > 0, message > 0, connect-timeout > 0, got "
              + connections
              + ", "
              + fwmark
              + ", "
              + idle
              + ", "
              + message
              + ", "
              + connectTimeout);
    }
  }
}
