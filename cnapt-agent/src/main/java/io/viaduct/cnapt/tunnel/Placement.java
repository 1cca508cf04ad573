package io.viaduct.cnapt.tunnel;

/// The reasons for which a new flow has its SNAPT, while there are several; each value is a
/// counter.
public enum Placement {
  /// It follows other flows.
  FOLLOWED,
  /// It has the SNAPT with the least cost, of those that meet its class.
  CHOSEN,
  /// No SNAPT meets its class.
  BEST_EFFORT
}
