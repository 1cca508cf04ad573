package io.viaduct.snapt.control;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.SnaptStatusAck;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;

/// Signs tokens as the bridge does, and the verifier that knows its key.
final class TestIssuer {
  static final String AUDIENCE = "viaduct";

  private static final String KEY_ID = "k1";

  private final KeyPair key = Ed25519.generate();

  TokenVerifier verifier() {
    try {
      Path folder = Files.createTempDirectory("viaduct-token-fuzz");
      TokenKeys keys = TokenKeys.open(folder.resolve("keys"));
      keys.accept(
          SnaptStatusAck.newBuilder()
              .addTokenKeys(
                  TokenKey.newBuilder()
                      .setKeyId(KEY_ID)
                      .setPublicKey(
                          ByteString.copyFrom(Ed25519.raw((EdECPublicKey) key.getPublic()))))
              .build());
      Files.deleteIfExists(folder.resolve("keys"));
      Files.delete(folder);
      return new TokenVerifier(keys, AUDIENCE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ByteString signed(ByteString token) {
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(key.getPrivate());
      signature.update("viaduct session token\0".getBytes(StandardCharsets.US_ASCII));
      signature.update(token.toByteArray());
      return SignedSessionToken.newBuilder()
          .setToken(token)
          .setSignature(ByteString.copyFrom(signature.sign()))
          .setKeyId(KEY_ID)
          .build()
          .toByteString();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
