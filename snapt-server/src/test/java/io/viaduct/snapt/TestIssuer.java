package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.snapt.control.TokenKeys;
import io.viaduct.snapt.control.TokenVerifier;
import io.viaduct.snapt.control.ToldRevocations;
import io.viaduct.usage.SignedMessage;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;

/// Signs tokens like the bridge, with its own key.
///
/// @param keyId id by which a SNAPT finds the key
public record TestIssuer(KeyPair key, String keyId) {
  /// The group of SNAPTs that the tokens name.
  public static final String AUDIENCE = "viaduct";

  public static final String KEY_ID = "k1";

  public TestIssuer() {
    this(Ed25519.generate(), KEY_ID);
  }

  /// Returns the key as the bridge sends it to SNAPTs.
  public TokenKey tokenKey() {
    return TokenKey.newBuilder()
        .setKeyId(keyId)
        .setPublicKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) key.getPublic())))
        .build();
  }

  /// Signs a token.
  ///
  /// @param token bytes of a SessionToken, or arbitrary bytes
  /// @return bytes of a SignedSessionToken
  public ByteString sign(ByteString token) {
    return SignedSessionToken.newBuilder()
        .setToken(token)
        .setSignature(SignedMessage.SESSION_TOKEN.sign(key.getPrivate(), token))
        .setKeyId(keyId)
        .build()
        .toByteString();
  }

  /// Returns a verifier that accepts the tokens of this issuer.
  public TokenVerifier verifier() {
    try {
      Path folder = Files.createTempDirectory("viaduct-token-fuzz");
      TokenKeys keys = TokenKeys.open(folder.resolve("keys"));
      keys.accept(SnaptStatusAck.newBuilder().addTokenKeys(tokenKey()).build());
      Files.deleteIfExists(folder.resolve("keys"));
      Files.delete(folder);
      return new TokenVerifier(keys, ToldRevocations.open(folder.resolve("revocations")), AUDIENCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
