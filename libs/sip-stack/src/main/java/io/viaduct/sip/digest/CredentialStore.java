package io.viaduct.sip.digest;

import io.viaduct.sip.aka.AkaKeys;
import java.util.Optional;

/// Looks up the digest secrets of a server's users.
@FunctionalInterface
public interface CredentialStore {
  /// Returns H(A1) of a user for an algorithm in lower-case hexadecimal, or empty if there is no
  /// such user.
  Optional<String> ha1(String user, DigestAlgorithm algorithm);

  /// Returns the keys of a user's card, or empty if the user has none.
  default Optional<AkaKeys> aka(String user) {
    return Optional.empty();
  }
}
