package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.SignedSessionToken;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.interfaces.EdECPublicKey;

/// The operator of a test: authority of its certificates, issuer of its tokens. Everything is real.
public final class TestOperator {
  static final String AUDIENCE = "viaduct";
  static final String KEY_ID = "k1";

  private final Path folder;
  private final TestAuthority authority;
  private final KeyPair tokenKey = Ed25519.generate();

  TestOperator(Path folder) throws Exception {
    this.folder = Files.createDirectories(folder);
    authority = new TestAuthority(folder);
  }

  /// PEM files of one process.
  TlsSettings issue(String name, String... addresses) throws Exception {
    return authority.issue(name, addresses);
  }

  TlsMaterial material(String name, String... addresses) throws Exception {
    return authority.material(name, addresses);
  }

  Path trust() {
    return authority.trust();
  }

  /// A report key file.
  Path reportKey() throws IOException {
    Path file = folder.resolve("report-key.pem");
    if (!Files.exists(file)) {
      Ed25519.writePrivate(file, Ed25519.generate().getPrivate());
    }
    return file;
  }

  TokenKey tokenKey() {
    return TokenKey.newBuilder()
        .setKeyId(KEY_ID)
        .setPublicKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) tokenKey.getPublic())))
        .build();
  }

  /// A token that holds for an hour.
  static SessionToken.Builder token(String account, KeyPair device) {
    long nowMs = System.currentTimeMillis();
    return SessionToken.newBuilder()
        .setTokenId("t-" + account)
        .setAccount(account)
        .setPublicIdentity("sip:" + account + "@ims.test")
        .setDeviceKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) device.getPublic())))
        .setAudience(AUDIENCE)
        .setNotBeforeMs(nowMs - 1_000)
        .setExpiresMs(nowMs + 3_600_000)
        .setIcid("icid-" + account);
  }

  ByteString sign(SessionToken token) throws GeneralSecurityException {
    return sign(token, tokenKey, KEY_ID);
  }

  static ByteString sign(SessionToken token, KeyPair key, String keyId)
      throws GeneralSecurityException {
    Signature signature = Signature.getInstance("Ed25519");
    signature.initSign(key.getPrivate());
    signature.update("viaduct session token\0".getBytes(StandardCharsets.US_ASCII));
    signature.update(token.toByteArray());
    return SignedSessionToken.newBuilder()
        .setToken(token.toByteString())
        .setSignature(ByteString.copyFrom(signature.sign()))
        .setKeyId(keyId)
        .build()
        .toByteString();
  }
}
