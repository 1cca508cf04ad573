package io.viaduct.diameter.peer;

import io.viaduct.diameter.message.DiameterMessage;
import java.util.List;

/// The node as its peers see it.
interface PeerOwner {
  /// Opens a connection to the peer. The result is [Peer#connected] or [Peer#connectFailed].
  void connect(Peer peer);

  /// A request has arrived that is not between neighbours.
  void requested(Peer peer, Connection connection, DiameterMessage request, long nowMs);

  /// A peer failed with these requests in flight.
  void failedOver(Peer peer, List<PendingRequest> requests, long nowMs);

  /// A peer could not deliver a request.
  void undelivered(Peer peer, PendingRequest request, DiameterMessage answer, long nowMs);

  /// The peer may be given requests again.
  void available(Peer peer);
}
