package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.path.Carrier;

/// What the data path tells of its path; called on its event loop.
public interface DataPathListener {
  /// The SNAPT has answered the first probe after a change of network or a dead path.
  void pathFound(long nowNs);

  /// Too many probes in a row stayed unanswered although the link is up.
  void pathDead();

  /// Datagrams go by another carrier from now on.
  ///
  /// @param silentNs how long nothing authentic had come
  void carrierChanged(Carrier to, long silentNs);

  /// The first authentic datagram has come by the new carrier.
  void carrierResumed(long afterNs);
}
