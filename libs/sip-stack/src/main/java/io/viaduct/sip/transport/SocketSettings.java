package io.viaduct.sip.transport;

import java.net.InetSocketAddress;
import java.time.Duration;

/// Addresses and limits of the sockets.
///
/// @param bind a wildcard keeps the listener alive when the network changes; port 0 takes a free
///   port, the same for UDP and TCP
/// @param fwmark `SO_MARK` of every socket, 0 for none; needs CAP_NET_ADMIN
/// @param connections most TCP connections at a time, both directions
/// @param connectionsPerSource most connections opened by one IPv4 address or IPv6 /64
/// @param firstMessage time after which an accepted connection without a whole message is closed;
///   keep-alives do not count
/// @param idle time after which a TCP connection that delivers nothing is closed
/// @param message longest time from the first byte of a message on a stream to its last; then its
///   connection is closed
/// @param connectTimeout of a TCP connection that this endpoint opens
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
