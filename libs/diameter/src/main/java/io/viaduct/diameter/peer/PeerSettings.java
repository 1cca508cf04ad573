package io.viaduct.diameter.peer;

import java.net.InetSocketAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A peer that this node knows.
///
/// @param host its Origin-Host; another one in its capabilities exchange is refused
/// @param address where to connect, already resolved, because the event loop must not wait for DNS;
///   null if only the peer connects
public record PeerSettings(String host, @Nullable InetSocketAddress address) {
  public PeerSettings {
    host = host.toLowerCase(Locale.ROOT);
    if (address != null && address.isUnresolved()) {
      throw new IllegalArgumentException("no address of " + address.getHostString());
    }
  }
}
