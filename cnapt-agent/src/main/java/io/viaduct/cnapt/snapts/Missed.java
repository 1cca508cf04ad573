package io.viaduct.cnapt.snapts;

/// What a SNAPT lacks for a flow's class.
public enum Missed {
  /// It meets the class.
  NOTHING,
  /// Its round trip is too long.
  DELAY,
  /// The rate that it has left is too small.
  RATE
}
