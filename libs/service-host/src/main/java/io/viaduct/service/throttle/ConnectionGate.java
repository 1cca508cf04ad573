package io.viaduct.service.throttle;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Limits the connections to a server, in total and from each address. Owned by the thread that
/// accepts them.
public final class ConnectionGate {
  /// The limits.
  public enum Limit {
    ALL,
    PER_ADDRESS
  }

  private final int connectionsMax;
  private final int perAddressMax;
  private final Map<InetAddress, Integer> ofAddress = new HashMap<>();
  private volatile int connections;

  /// @param connectionsMax most connections at a time
  /// @param perAddressMax most connections from one address at a time
  public ConnectionGate(int connectionsMax, int perAddressMax) {
    this.connectionsMax = connectionsMax;
    this.perAddressMax = perAddressMax;
  }

  /// Counts a new connection, if the limits allow it. Call [#leave] when it closes.
  ///
  /// @return the limit that is reached, or null if the connection is admitted
  public @Nullable Limit enter(InetAddress from) {
    if (connections >= connectionsMax) {
      return Limit.ALL;
    }
    if (ofAddress.getOrDefault(from, 0) >= perAddressMax) {
      return Limit.PER_ADDRESS;
    }
    ofAddress.merge(from, 1, Integer::sum);
    connections = connections + 1;
    return null;
  }

  /// Counts a connection that has closed.
  public void leave(InetAddress from) {
    ofAddress.computeIfPresent(from, (address, count) -> count > 1 ? count - 1 : null);
    connections = connections - 1;
  }

  /// Returns the number of open connections; any thread may call this.
  public int connections() {
    return connections;
  }
}
