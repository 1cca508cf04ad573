package io.viaduct.radius.server;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/// Settings of a server.
///
/// @param address address and UDP port; port 0 takes a free one
/// @param clients clients with different addresses
/// @param requestsMax most requests that are processed at a time; further ones are dropped
/// @param remembered time for which a copy of a request gets the answer of the first one
/// @param rememberedMax most requests that are remembered; the oldest give way
public record ServerSettings(
    InetSocketAddress address,
    List<NasClient> clients,
    int requestsMax,
    Duration remembered,
    int rememberedMax) {
  public ServerSettings {
    clients = List.copyOf(clients);
    if (requestsMax < 1 || rememberedMax < requestsMax) {
      throw new IllegalArgumentException(
          "need 1 <= requestsMax <= rememberedMax, got " + requestsMax + ", " + rememberedMax);
    }
    if (clients.stream().map(NasClient::address).distinct().count() != clients.size()) {
      throw new IllegalArgumentException("clients must have different addresses");
    }
  }
}
