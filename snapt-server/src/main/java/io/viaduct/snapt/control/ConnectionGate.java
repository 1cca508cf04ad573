package io.viaduct.snapt.control;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How many control connections there are, in all and from each address. The control thread owns
/// it.
final class ConnectionGate {
  private final int connectionsMax;
  private final int perAddressMax;
  private final Map<InetAddress, Integer> ofAddress = new HashMap<>();
  private volatile int connections;

  ConnectionGate(int connectionsMax, int perAddressMax) {
    this.connectionsMax = connectionsMax;
    this.perAddressMax = perAddressMax;
  }

  /// Lets a connection in, to be let out again by [#leave].
  ///
  /// @return why not, or null
  @Nullable ConnectionEnd enter(InetAddress from) {
    if (connections >= connectionsMax) {
      return ConnectionEnd.CONNECTIONS_MAX;
    }
    if (ofAddress.getOrDefault(from, 0) >= perAddressMax) {
      return ConnectionEnd.CONNECTIONS_PER_ADDRESS_MAX;
    }
    ofAddress.merge(from, 1, Integer::sum);
    connections = connections + 1;
    return null;
  }

  void leave(InetAddress from) {
    ofAddress.computeIfPresent(from, (address, count) -> count > 1 ? count - 1 : null);
    connections = connections - 1;
  }

  /// Connections that are in; any thread.
  int connections() {
    return connections;
  }
}
