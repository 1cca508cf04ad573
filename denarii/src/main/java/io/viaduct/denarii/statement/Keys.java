package io.viaduct.denarii.statement;

import com.google.protobuf.ByteString;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.TokenKeys;
import java.util.Collection;
import java.util.Optional;

/// Public keys, and who of them has signed.
final class Keys {
  private Keys() {}

  /// Returns the key that has signed a message, or empty.
  static Optional<ByteString> signer(
      SignedMessage kind, Collection<ByteString> keys, ByteString message, ByteString signature) {
    return keys.stream()
        .filter(key ->
            TokenKeys.publicKey(key)
                .filter(known -> kind.isSignedBy(known, message, signature))
                .isPresent())
        .findFirst();
  }
}
