package io.viaduct.testbed.pki;

import io.viaduct.service.tls.TestAuthority;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.Base64;

/// The Ed25519 key with which a SNAPT signs its usage reports.
///
/// @param file the private key, PKCS#8 PEM
/// @param publicKey raw 32 bytes (RFC 8032), base64
public record ReportKey(Path file, String publicKey) {
  private static final int RAW_BYTES = 32;

  public static ReportKey generate(Path file) throws Exception {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    String pem =
        "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
            .formatted(Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded()));
    // A SubjectPublicKeyInfo of Ed25519 ends with the raw key (RFC 8410 section 4).
    byte[] info = pair.getPublic().getEncoded();
    byte[] raw = Arrays.copyOfRange(info, info.length - RAW_BYTES, info.length);
    return new ReportKey(TestAuthority.secret(file, pem), Base64.getEncoder().encodeToString(raw));
  }
}
