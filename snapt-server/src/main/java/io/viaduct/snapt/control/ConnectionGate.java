package io.viaduct.snapt.control;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Limits the control connections, in total and from each address. Owned by the control thread.
final class ConnectionGate {
  private final int connectionsMax;
  private final int perAddressMax;
  private final Map<InetAddress, Integer> ofAddress = new HashMap<>();
  private volatile int connections;

  ConnectionGate(int connectionsMax, int perAddressMax) {
    this.connectionsMax = connectionsMax;
    this.perAddressMax = perAddressMax;
  }

  /// Counts a new connection, if the limits allow it. Call [#leave] when it closes.
  ///
  /// @return the reason for the rejection, or null if the connection is admitted
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

  /// Returns the number of open connections; any thread may call this.
  int connections() {
    return connections;
  }
}
