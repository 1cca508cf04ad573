package io.viaduct.tunnel.path;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Told what the path does; called on the session's event loop.
public interface PathListener {
  /// Agent: a probe was answered. Times in µs; offset = the peer's clock minus ours.
  default void probed(long rttUs, double smoothedRttUs, long clockOffsetUs) {}

  /// SNAPT: datagrams now go to another address (the first one, or one that answered its
  /// challenge).
  default void bindingMoved(@Nullable InetSocketAddress from, InetSocketAddress to) {}

  /// Datagrams now go by another carrier: the agent has chosen it, the SNAPT was asked to.
  default void carriedBy(Carrier carrier) {}

  /// SNAPT: an authentic datagram came from a new address, a challenge goes there.
  default void challenged(InetSocketAddress candidate) {}

  /// Agent: the peer asks whether we are at this address; the answer is under way.
  default void answered(InetSocketAddress challenger) {}

  /// Hears nothing.
  PathListener SILENT = new PathListener() {};
}
