package io.viaduct.snapt;

import com.google.protobuf.ByteString;
import io.viaduct.service.tls.Ed25519;
import io.viaduct.service.tls.TestAuthority;
import io.viaduct.service.tls.TlsMaterial;
import io.viaduct.service.tls.TlsSettings;
import io.viaduct.usage.v1.SessionToken;
import io.viaduct.usage.v1.TokenKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;

/// The operator in a test: a real authority for certificates and a real issuer of tokens.
public final class TestOperator {
  private final Path folder;
  private final TestAuthority authority;
  private final TestIssuer issuer = new TestIssuer();

  public TestOperator(Path folder) throws Exception {
    this.folder = Files.createDirectories(folder);
    authority = new TestAuthority(folder);
  }

  /// Issues the PEM files of one process.
  public TlsSettings issue(String name, String... addresses) throws Exception {
    return authority.issue(name, addresses);
  }

  public TlsMaterial material(String name, String... addresses) throws Exception {
    return authority.material(name, addresses);
  }

  public Path trust() {
    return authority.trust();
  }

  /// Creates a file with a report key.
  public Path reportKey() throws IOException {
    Path file = folder.resolve("report-key.pem");
    if (!Files.exists(file)) {
      Ed25519.writePrivate(file, Ed25519.generate().getPrivate());
    }
    return file;
  }

  public TokenKey tokenKey() {
    return issuer.tokenKey();
  }

  /// Returns a token that is valid for an hour.
  public static SessionToken.Builder token(String account, KeyPair device) {
    long nowMs = System.currentTimeMillis();
    return SessionToken.newBuilder()
        .setTokenId("t-" + account)
        .setAccount(account)
        .setPublicIdentity("sip:" + account + "@ims.test")
        .setDeviceKey(ByteString.copyFrom(Ed25519.raw((EdECPublicKey) device.getPublic())))
        .setAudience(TestIssuer.AUDIENCE)
        .setNotBeforeMs(nowMs - 1_000)
        .setExpiresMs(nowMs + 3_600_000)
        .setIcid("icid-" + account);
  }

  public ByteString sign(SessionToken token) {
    return issuer.sign(token.toByteString());
  }
}
