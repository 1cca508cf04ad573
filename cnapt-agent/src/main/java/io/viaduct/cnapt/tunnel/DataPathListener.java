package io.viaduct.cnapt.tunnel;

import io.viaduct.tunnel.path.Carrier;
import org.jspecify.annotations.Nullable;

/// Receives changes of the path; called on the event loop of the data path.
public interface DataPathListener {
  /// Called for the SNAPT's first answer after a change of network or a dead path.
  void pathFound(long nowNs);

  /// Called when traffic leaves a path because nothing arrives by it, although its link is up.
  void pathLeft(LeftPath left);

  /// Called when packets that count delay take another path than before, or the same one by another
  /// address family.
  ///
  /// @param cause one of [io.viaduct.cnapt.mobility.Handover#CAUSES]
  /// @param isToBeAnswered true if the other end must be told, and its answer is announced by
  ///   [#pathFound]; false for a move between two paths that both ends use
  default void trafficMoved(String cause, String from, String to, boolean isToBeAnswered) {}

  /// Called when too many probes in a row were not answered although the link is up.
  void pathDead();

  /// Called when the probes of a path have stopped, at an end that listens.
  ///
  /// @param path id of the path
  /// @param name name of the path in messages
  /// @param silenceNs time without a probe
  default void probesStopped(int path, String name, long silenceNs) {}

  /// Called when an address at which this end listens cannot be used.
  ///
  /// @param why reason, and what to do
  default void addressLost(String address, @Nullable String why) {}

  /// Called when the last flow of a SNAPT that is about to stop has ended.
  default void emptied() {}

  /// Called for a change of the carrier.
  ///
  /// @param silentNs time since the last authentic datagram
  void carrierChanged(Carrier to, long silentNs);

  /// Called for the first authentic datagram on the new carrier.
  void carrierResumed(long afterNs);
}
