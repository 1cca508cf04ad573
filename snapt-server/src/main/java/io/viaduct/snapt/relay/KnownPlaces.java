package io.viaduct.snapt.relay;

import io.viaduct.tunnel.terms.TunnelLimits;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/// Keeps the places of a session's last addresses, so that links which take turns cost no look-up,
/// which allocates. The socket gives equal addresses as one object, so objects are compared. It has
/// room for one address at first, and at most for that of each path. Owned by the session's event
/// loop.
final class KnownPlaces {
  static final int MOST = TunnelLimits.PATHS_MAX;

  private final ToIntFunction<InetSocketAddress> lookUp;
  private @Nullable InetSocketAddress[] addresses = new InetSocketAddress[1];
  private int[] places = new int[1];
  private int next;

  /// @param lookUp returns the place of an address, which never changes
  KnownPlaces(ToIntFunction<InetSocketAddress> lookUp) {
    this.lookUp = lookUp;
  }

  int of(InetSocketAddress address) {
    for (int i = 0; i < addresses.length; i++) {
      if (addresses[i] == address) {
        return places[i];
      }
    }
    return enter(address);
  }

  private int enter(InetSocketAddress address) {
    if (addresses[next] != null && addresses.length < MOST) {
      next = addresses.length;
      addresses = Arrays.copyOf(addresses, Math.min(2 * next, MOST));
      places = Arrays.copyOf(places, addresses.length);
    }
    int at = next;
    addresses[at] = address;
    places[at] = lookUp.applyAsInt(address);
    next = (at + 1) % addresses.length;
    return places[at];
  }
}
