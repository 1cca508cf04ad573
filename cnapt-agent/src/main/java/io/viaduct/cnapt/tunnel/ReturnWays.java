package io.viaduct.cnapt.tunnel;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Knows by which of its own addresses a listening peer hears each address of the other end, and
/// answers by that one. Owner: the data path's event loop.
///
/// The other end sends by one socket to one place, so an address is heard at one place only. A
/// datagram that comes from it elsewhere is not opened while the place that is known is alive: an
/// attacker may have sent a captured one there.
final class ReturnWays {
  /// Time without an authentic datagram after which another place may be heard.
  static final long KEPT_NS = 10_000_000_000L;

  /// One address per path, and those that are being challenged.
  static final int ADDRESSES_MAX = 16;

  private static final class Way {
    PeerSocket socket;
    long heardNs;

    Way(PeerSocket socket) {
      this.socket = socket;
    }
  }

  private final Map<InetSocketAddress, Way> ways =
      new LinkedHashMap<>(ADDRESSES_MAX, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Way> eldest) {
          return size() > ADDRESSES_MAX;
        }
      };

  /// Returns whether a datagram from an address may come by this socket.
  boolean isAllowed(InetSocketAddress from, PeerSocket by, long nowNs) {
    Way way = ways.get(from);
    return way == null || way.socket == by || nowNs - way.heardNs > KEPT_NS;
  }

  /// Records an authentic datagram that was not replayed.
  void heard(InetSocketAddress from, PeerSocket by, long nowNs) {
    Way way = ways.get(from);
    if (way == null) {
      way = new Way(by);
      ways.put(from, way);
    }
    way.socket = by;
    way.heardNs = nowNs;
  }

  /// Returns the socket by which an address is heard; null for an unknown address.
  @Nullable PeerSocket socketOf(@Nullable InetSocketAddress to) {
    Way way = to == null ? null : ways.get(to);
    return way == null ? null : way.socket;
  }

  /// Forgets everything, because another session has begun.
  void clear() {
    ways.clear();
  }
}
