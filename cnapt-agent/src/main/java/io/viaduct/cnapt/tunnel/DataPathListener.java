package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.path.Carrier;

/// Receives changes of the path; called on the event loop of the data path.
public interface DataPathListener {
  /// Called for the SNAPT's first answer after a change of network or a dead path.
  void pathFound(long nowNs);

  /// Called when traffic leaves a path because nothing arrives by it, although its link is up.
  void pathLeft(LeftPath left);

  /// Called when too many probes in a row were not answered although the link is up.
  void pathDead();

  /// Called for a change of the carrier.
  ///
  /// @param silentNs time since the last authentic datagram
  void carrierChanged(Carrier to, long silentNs);

  /// Called for the first authentic datagram on the new carrier.
  void carrierResumed(long afterNs);
}
