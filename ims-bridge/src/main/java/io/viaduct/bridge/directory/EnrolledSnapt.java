package io.viaduct.bridge.directory;

import io.viaduct.bridge.configuration.BridgeConfiguration.Snapt;

/// A SNAPT that may announce itself.
///
/// @param snapt its id, key, owner, region and line rate
/// @param surcharges what its owner asks
public record EnrolledSnapt(Snapt snapt, Surcharges surcharges) {
  /// Returns a SNAPT of the bridge's configuration, whose owner asks for nothing.
  public static EnrolledSnapt configured(Snapt line) {
    return new EnrolledSnapt(line, Surcharges.NONE);
  }
}
