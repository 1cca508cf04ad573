package io.viaduct.sip.transport;

import io.netty.handler.ssl.SslContext;
import io.viaduct.sip.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Addresses and limits of the sockets.
///
/// @param bind a wildcard keeps the listener alive when the network changes; port 0 takes a free
///   port, the same for UDP and TCP
/// @param fwmark `SO_MARK` of every socket, 0 for none; needs CAP_NET_ADMIN
/// @param connections most TCP connections at a time, both directions
/// @param connectionsPerSource most connections opened by one IPv4 address or IPv6 /64
/// @param firstMessage time after which an accepted connection without a whole message is closed;
///   keep-alives do not count
/// @param idle time after which a connection that delivers nothing is closed, unless its receiver
///   [needs][Receiver#needs] it
/// @param message longest time from the first byte of a message on a stream to its last; then its
///   connection is closed
/// @param connectTimeout of a TCP connection that this endpoint opens
/// @param listeners further listeners for streams, at most one of each transport; their connections
///   count like those of TCP
public record SocketSettings(
    InetSocketAddress bind,
    int fwmark,
    int connections,
    int connectionsPerSource,
    Duration firstMessage,
    Duration idle,
    Duration message,
    Duration connectTimeout,
    List<StreamListener> listeners) {
  /// A listener for TLS or WebSocket.
  ///
  /// @param transport TLS, WS or WSS
  /// @param bind port 0 takes a free port
  /// @param tls for TLS and WSS; null for WS
  public record StreamListener(
      Transport transport, InetSocketAddress bind, @Nullable SslContext tls) {
    public StreamListener {
      boolean fits =
          transport != Transport.UDP
              && transport != Transport.TCP
              && transport.isSecure() == (tls != null);
      if (!fits || bind.isUnresolved()) {
        throw new IllegalArgumentException("a listener needs TLS, WS or WSS, and its address");
      }
    }
  }

  /// Returns settings of UDP and TCP only.
  public SocketSettings(
      InetSocketAddress bind,
      int fwmark,
      int connections,
      int connectionsPerSource,
      Duration firstMessage,
      Duration idle,
      Duration message,
      Duration connectTimeout) {
    this(
        bind,
        fwmark,
        connections,
        connectionsPerSource,
        firstMessage,
        idle,
        message,
        connectTimeout,
        List.of());
  }

  /// Returns the same settings with another mark.
  public SocketSettings withFwmark(int next) {
    return new SocketSettings(
        bind,
        next,
        connections,
        connectionsPerSource,
        firstMessage,
        idle,
        message,
        connectTimeout,
        listeners);
  }

  /// Returns the same settings with further listeners.
  public SocketSettings withListeners(List<StreamListener> next) {
    return new SocketSettings(
        bind,
        fwmark,
        connections,
        connectionsPerSource,
        firstMessage,
        idle,
        message,
        connectTimeout,
        next);
  }

  public SocketSettings {
    listeners = List.copyOf(listeners);
    if (listeners.stream().map(StreamListener::transport).distinct().count() < listeners.size()) {
      throw new IllegalArgumentException("a transport has at most one listener");
    }
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
