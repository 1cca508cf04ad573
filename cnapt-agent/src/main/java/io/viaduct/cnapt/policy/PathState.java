package io.viaduct.cnapt.policy;

/// The state of a path.
public enum PathState {
  /// Carries traffic without notable loss.
  USABLE,
  /// Loses datagrams, but still carries traffic.
  LOSING,
  /// Works, and is to carry traffic only while no other path is alive.
  SPARE,
  /// Does not answer.
  DEAD
}
