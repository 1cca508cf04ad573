package io.viaduct.tunnel.path;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Receives the events of a session's path. Called on the session's event loop.
public interface PathListener {
  /// Reports an answered probe (agent). Times in µs; offset = the peer's clock minus ours.
  ///
  /// @param path id of the path that the answer came by
  default void probed(int path, long rttUs, double smoothedRttUs, long clockOffsetUs) {}

  /// Reports the newest PROBE of a path, by UDP (SNAPT, or the listening peer).
  ///
  /// @param path id of the path that it names
  default void probeArrived(int path) {}

  /// Reports that datagrams now go to another address (SNAPT): the first one, or one that answered
  /// its challenge.
  default void bindingMoved(@Nullable InetSocketAddress from, InetSocketAddress to) {}

  /// Returns whether datagrams to two equal addresses leave from the same local address (SNAPT). A
  /// socket that is bound to one address has no other.
  default boolean leaveAlike(InetSocketAddress one, InetSocketAddress other) {
    return true;
  }

  /// Reports that datagrams now go by another carrier. The agent chooses it; the SNAPT follows.
  default void carriedBy(Carrier carrier) {}

  /// Reports an authentic datagram from a new address, to which a challenge goes (SNAPT).
  default void challenged(InetSocketAddress candidate) {}

  /// Reports a challenge of the peer to this address (agent). The response is under way.
  default void answered(InetSocketAddress challenger) {}

  /// Listener that ignores all calls.
  PathListener SILENT = new PathListener() {};
}
