package io.viaduct.tunnel.session;

/// Use of a path, which the device decides for both directions.
public enum PathUse {
  /// No packet leaves by the path: it is not open, or it does not work.
  NO,
  /// Packets leave by the path only while no path with [#YES] is there.
  SPARE,
  YES
}
