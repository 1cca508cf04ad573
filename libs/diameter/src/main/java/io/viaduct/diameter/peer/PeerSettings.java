package io.viaduct.diameter.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// A peer that this node knows.
///
/// @param host its Origin-Host; another one in its capabilities exchange is refused
/// @param address where to connect, already resolved, because the event loop must not wait for DNS;
///   null if only the peer connects
/// @param sources addresses from which the peer may connect; empty if any will do, because the name
///   alone proves nothing: then a tunnel must protect the listener
public record PeerSettings(
    String host, @Nullable InetSocketAddress address, Set<InetAddress> sources) {
  /// A peer that may connect from any address.
  public PeerSettings(String host, @Nullable InetSocketAddress address) {
    this(host, address, Set.of());
  }

  public PeerSettings {
    sources = Set.copyOf(sources);
    host = host.toLowerCase(Locale.ROOT);
    if (address != null && address.isUnresolved()) {
      throw new IllegalArgumentException("no address of " + address.getHostString());
    }
  }

  boolean mayComeFrom(InetAddress source) {
    return sources.isEmpty() || sources.contains(source);
  }
}
