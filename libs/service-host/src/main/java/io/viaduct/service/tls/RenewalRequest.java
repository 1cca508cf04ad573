package io.viaduct.service.tls;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/// Makes a request for the next certificate of a process (PKCS#10, RFC 2986): name, hosts and key
/// of the present one.
///
///     CertificationRequest
///     ├ CertificationRequestInfo
///     │ ├ version 0
///     │ ├ subject, SubjectPublicKeyInfo     of the present certificate
///     │ └ [0] extensionRequest: subjectAltName of the present certificate
///     ├ signature algorithm
///     └ signature
public final class RenewalRequest {
  private static final int INTEGER = 0x02;
  private static final int BIT_STRING = 0x03;
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int ATTRIBUTES = 0xa0;

  private static final String ALTERNATIVE_NAMES = "2.5.29.17";

  // DER of the object identifiers, with their tags.
  private static final byte[] EXTENSION_REQUEST = hex("06092a864886f70d01090e");
  private static final byte[] SUBJECT_ALT_NAME = hex("0603551d11");
  private static final byte[] ECDSA_SHA256 = hex("06082a8648ce3d040302");
  private static final byte[] RSA_SHA256_AND_NULL = hex("06092a864886f70d01010b0500");
  private static final byte[] ED25519 = hex("06032b6570");

  private RenewalRequest() {}

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  /// Returns the request as PEM text.
  ///
  /// @param current the present certificate
  /// @param key its private key: EC, RSA or Ed25519
  public static String of(X509Certificate current, PrivateKey key) {
    byte[] info =
        der(
            SEQUENCE,
            der(INTEGER, new byte[] {0}),
            current.getSubjectX500Principal().getEncoded(),
            current.getPublicKey().getEncoded(),
            attributes(current.getExtensionValue(ALTERNATIVE_NAMES)));
    try {
      Signature signature = Signature.getInstance(algorithm(key));
      signature.initSign(key);
      signature.update(info);
      return pem(
          der(
              SEQUENCE,
              info,
              der(SEQUENCE, identifier(key)),
              der(BIT_STRING, new byte[] {0}, signature.sign())));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK refuses to sign with a key that TLS uses", e);
    }
  }

  /// @param alternativeNames OCTET STRING of the extension; null if the certificate has none
  private static byte[] attributes(byte @Nullable [] alternativeNames) {
    if (alternativeNames == null) {
      return der(ATTRIBUTES);
    }
    byte[] extensions = der(SEQUENCE, der(SEQUENCE, SUBJECT_ALT_NAME, alternativeNames));
    return der(ATTRIBUTES, der(SEQUENCE, EXTENSION_REQUEST, der(SET, extensions)));
  }

  private static String algorithm(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "EC" -> "SHA256withECDSA";
      case "RSA" -> "SHA256withRSA";
      default -> "Ed25519";
    };
  }

  private static byte[] identifier(PrivateKey key) {
    return switch (key.getAlgorithm()) {
      case "EC" -> ECDSA_SHA256;
      case "RSA" -> RSA_SHA256_AND_NULL;
      default -> ED25519;
    };
  }

  /// Returns an element with these parts as its content (X.690 section 8.1.3: length).
  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream element = new ByteArrayOutputStream();
    element.write(tag);
    int length = content.size();
    if (length >= 0x80) {
      int bytes = length > 0xffff ? 3 : length > 0xff ? 2 : 1;
      element.write(0x80 | bytes);
      for (int i = bytes - 1; i >= 0; i--) {
        element.write(length >>> Byte.SIZE * i);
      }
    } else {
      element.write(length);
    }
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }

  private static String pem(byte[] der) {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return "-----BEGIN CERTIFICATE REQUEST-----\n" + body + "\n-----END CERTIFICATE REQUEST-----\n";
  }
}
