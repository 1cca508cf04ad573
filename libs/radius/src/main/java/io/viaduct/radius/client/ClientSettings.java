package io.viaduct.radius.client;

import io.viaduct.radius.message.SharedSecret;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// Settings of a client.
///
/// @param servers in the order in which they are tried
/// @param timeout wait for the answer to the first packet; each retransmission waits twice as long
///   as the one before (RFC 5080 section 2.2.1)
/// @param attempts packets to one server until the next one is tried
public record ClientSettings(List<Server> servers, Duration timeout, int attempts) {
  /// A server.
  public record Server(InetSocketAddress address, SharedSecret secret) {}

  public ClientSettings {
    servers = List.copyOf(servers);
    if (servers.isEmpty() || timeout.toMillis() < 1 || attempts < 1 || attempts > 10) {
      throw new IllegalArgumentException(
          "need servers, timeout >= 1 ms, attempts 1 to 10, got "
              + servers.size()
              + ", "
              + timeout
              + ", "
              + attempts);
    }
  }
}
