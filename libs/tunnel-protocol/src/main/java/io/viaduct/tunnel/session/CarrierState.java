package io.viaduct.tunnel.session;

import io.viaduct.tunnel.path.Carrier;

/// Holds the carrier of a session's datagrams, and the age of the request that chose it.
final class CarrierState {
  private Carrier carrier = Carrier.UDP;
  private long sequence = -1;

  Carrier carrier() {
    return carrier;
  }

  boolean isUdp() {
    return carrier == Carrier.UDP;
  }

  /// Sets the carrier. @return true if it has changed
  boolean set(Carrier chosen) {
    boolean differs = carrier != chosen;
    carrier = chosen;
    return differs;
  }

  /// Returns whether a request is newer than all before it. An older one that an attacker has
  /// delayed must not undo it.
  boolean isNewest(long ofSequence) {
    boolean newest = ofSequence > sequence;
    sequence = Math.max(sequence, ofSequence);
    return newest;
  }
}
