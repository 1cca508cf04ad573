package io.viaduct.sip.digest;

import java.util.Optional;

/// What a server knows about its users.
@FunctionalInterface
public interface CredentialStore {
  /// H(A1) of a user for an algorithm, lower-case hexadecimal; empty when there is no such user.
  Optional<String> ha1(String user, DigestAlgorithm algorithm);
}
