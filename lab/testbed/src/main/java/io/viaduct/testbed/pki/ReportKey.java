package io.viaduct.testbed.pki;

import io.viaduct.service.tls.Ed25519;
import io.viaduct.setup.pki.Pem;
import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.interfaces.EdECPublicKey;
import java.util.Base64;

/// The Ed25519 key with which a SNAPT signs its usage reports.
///
/// @param file the private key, PKCS#8 PEM
/// @param publicKey raw 32 bytes (RFC 8032), base64
public record ReportKey(Path file, String publicKey) {
  public static ReportKey generate(Path file) throws IOException {
    KeyPair pair = Ed25519.generate();
    byte[] raw = Ed25519.raw((EdECPublicKey) pair.getPublic());
    return new ReportKey(
        RunAuthority.secret(file, Pem.text(pair.getPrivate())),
        Base64.getEncoder().encodeToString(raw));
  }
}
