package io.viaduct.billing.snapts;

import io.viaduct.billing.configuration.SnaptFacts;
import java.time.Instant;
import java.util.Optional;

/// An enrolled SNAPT.
///
/// @param facts what an operator has set
/// @param version 1, 2, 3 ...: rises with each change
/// @param certificateKey base64 of the SHA-256 of the public key that its certificate must have;
///   empty: any
/// @param enrolledAt time of its enrolment, the last one if it was removed meanwhile
public record Snapt(
    SnaptFacts facts, Optional<String> certificateKey, long version, Instant enrolledAt) {
  /// Returns the id, which is the common name of its certificate.
  public String id() {
    return facts.id();
  }
}
