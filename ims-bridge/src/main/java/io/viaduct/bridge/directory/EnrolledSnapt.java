package io.viaduct.bridge.directory;

import io.viaduct.bridge.configuration.Snapt;
import java.nio.ByteBuffer;
import java.util.Optional;

/// A SNAPT that may announce itself.
///
/// @param snapt its id, key, owner, region and line rate
/// @param surcharges what its owner asks
/// @param certificateKey SHA-256 of the public key that its certificate must have; empty: any
public record EnrolledSnapt(
    Snapt snapt, Surcharges surcharges, Optional<ByteBuffer> certificateKey) {
  /// Returns a SNAPT of the bridge's configuration, whose owner asks for nothing.
  public static EnrolledSnapt configured(Snapt line) {
    return new EnrolledSnapt(line, Surcharges.NONE, Optional.empty());
  }
}
