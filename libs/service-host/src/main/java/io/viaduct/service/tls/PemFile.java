package io.viaduct.service.tls;

import io.viaduct.service.configuration.ConfigurationException;
import io.viaduct.service.configuration.PrivateFile;
import io.viaduct.service.configuration.Unreadable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the textual encodings of keys and certificates (RFC 7468). Every exception names the file,
/// the problem and the expected content; none contains key material.
final class PemFile {
  /// Longest file that is read: enough for a chain of about thirty certificates.
  static final long BYTES_MAX = 256 * 1024;

  private static final Pattern BLOCK =
      Pattern.compile(
          "-----BEGIN ([A-Z0-9 ]{1,40})-----\\s*([A-Za-z0-9+/=\\s]*?)-----END \\1-----");
  private static final String[] KEY_ALGORITHMS = {"EC", "Ed25519", "RSA"};

  private PemFile() {}

  /// Returns the blocks of one label, in the order of the file.
  ///
  /// @throws ConfigurationException if there is none
  static List<byte[]> blocks(Path file, String label) {
    String text = read(file);
    List<byte[]> found = new ArrayList<>();
    List<String> others = new ArrayList<>();
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      if (!block.group(1).equals(label)) {
        others.add(block.group(1));
        continue;
      }
      try {
        found.add(Base64.getMimeDecoder().decode(block.group(2)));
      } catch (IllegalArgumentException _) {
        throw new ConfigurationException(
            file + ": the PEM block '" + label + "' is not base64: write the file again");
      }
    }
    if (found.isEmpty()) {
      throw new ConfigurationException(
          "%s: must hold a PEM block '%s', holds %s"
              .formatted(file, label, others.isEmpty() ? "no PEM block" : "'" + others + "'"));
    }
    return found;
  }

  static List<X509Certificate> certificates(Path file) {
    List<X509Certificate> certificates = new ArrayList<>();
    for (byte[] der : blocks(file, "CERTIFICATE")) {
      try {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        certificates.add(
            (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
      } catch (GeneralSecurityException e) {
        throw new ConfigurationException(
            "%s: certificate %d cannot be read: %s"
                .formatted(file, certificates.size() + 1, e.getMessage()));
      }
    }
    return certificates;
  }

  static PrivateKey privateKey(Path file) {
    try {
      PrivateFile.require(file);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw new ConfigurationException(file + ": " + Unreadable.why(file, e));
    }
    byte[] der = blocks(file, "PRIVATE KEY").getFirst();
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (GeneralSecurityException _) {
        continue; // try the next algorithm; if all fail, an exception follows
      }
    }
    throw new ConfigurationException(
        file + ": the private key must be PKCS#8 of EC, Ed25519 or RSA: openssl pkcs8 -topk8");
  }

  private static String read(Path file) {
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new ConfigurationException(
            "%s: is %d bytes, a PEM file may be %d at most"
                .formatted(file, Files.size(file), BYTES_MAX));
      }
      return Files.readString(file, StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new ConfigurationException(file + ": " + Unreadable.why(file, e));
    }
  }
}
