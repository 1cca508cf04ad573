package io.viaduct.sip.transport;

import java.net.InetSocketAddress;
import java.time.Duration;

/// How the sockets are opened.
///
/// @param bind wildcard keeps the listener alive over a change of network; port 0 takes a free one,
///   the same number for UDP and TCP
/// @param fwmark `SO_MARK` of every socket, 0 for none; needs CAP_NET_ADMIN
/// @param connections most TCP connections at a time, both directions
/// @param connectionsPerSource most of them that one IPv4 address or IPv6 /64 has opened
/// @param firstMessage a connection that was accepted and brings no whole message in this time is
///   closed; keep-alives do not count
/// @param idle a TCP connection that delivers nothing for so long is closed
/// @param message a message on a stream that is not complete so long after its first byte ends its
///   connection
/// @param connectTimeout of a TCP connection that we open
public record SocketSettings(
    InetSocketAddress bind,
    int fwmark,
    int connections,
    int connectionsPerSource,
    Duration firstMessage,
    Duration idle,
    Duration message,
    Duration connectTimeout) {
  public SocketSettings {
    if (bind.isUnresolved()) {
      throw new IllegalArgumentException("bind address must be numeric, got " + bind);
    }
    if (connections < 1 || connectionsPerSource < 1 || fwmark < 0) {
      throw new IllegalArgumentException(
          "need connections, connections-per-source >= 1 and fwmark >= 0, got %d, %d, %d"
              .formatted(connections, connectionsPerSource, fwmark));
    }
    if (!firstMessage.isPositive()
        || !idle.isPositive()
        || !message.isPositive()
        || !connectTimeout.isPositive()) {
      throw new IllegalArgumentException(
          "need first-message, idle, message, connect-timeout > 0, got %s, %s, %s, %s"
              .formatted(firstMessage, idle, message, connectTimeout));
    }
  }
}
