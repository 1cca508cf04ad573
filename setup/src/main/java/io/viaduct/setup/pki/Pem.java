package io.viaduct.setup.pki;

import io.viaduct.service.configuration.ConfigurationException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/// Reads and writes textual encodings of keys and certificates (RFC 7468).
public final class Pem {
  private Pem() {}

  /// Returns a certificate as PEM text.
  public static String text(X509Certificate certificate) {
    try {
      return text("CERTIFICATE", certificate.getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a certificate that was just made has no encoding", e);
    }
  }

  /// Returns a private key as PEM text, PKCS#8 without encryption.
  public static String text(PrivateKey key) {
    return text("PRIVATE KEY", key.getEncoded());
  }

  static String text(String label, byte[] der) {
    var text = new StringWriter();
    try (var pem = new PemWriter(text)) {
      pem.writeObject(new PemObject(label, der));
    } catch (IOException e) {
      throw new IllegalStateException("a string refuses to be written", e);
    }
    return text.toString();
  }

  /// Reads the first certificate of a file.
  ///
  /// @throws ConfigurationException naming the file if it holds none
  public static X509Certificate certificate(Path file) throws IOException {
    try {
      var factory = CertificateFactory.getInstance("X.509");
      var certificate =
          factory.generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
      if (certificate instanceof X509Certificate found) {
        return found;
      }
    } catch (GeneralSecurityException _) {
      throw new ConfigurationException(
          file + ": must hold a certificate as PEM: restore it from your backup");
    }
    throw new ConfigurationException(file + ": must hold an X.509 certificate");
  }

  /// Reads a private key.
  ///
  /// @throws ConfigurationException naming the file if it holds none
  public static PrivateKey privateKey(Path file) throws IOException {
    try (var pem =
        new PEMParser(new StringReader(Files.readString(file, StandardCharsets.US_ASCII)))) {
      if (pem.readObject() instanceof PrivateKeyInfo info) {
        return new JcaPEMKeyConverter().getPrivateKey(info);
      }
    }
    throw new ConfigurationException(
        file
            + ": must hold a private key as PEM (PKCS#8, not encrypted): restore it from your"
            + " backup");
  }
}
