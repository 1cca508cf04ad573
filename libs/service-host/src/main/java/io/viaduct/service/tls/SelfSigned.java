package io.viaduct.service.tls;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;

/// Makes the certificate of a peer that is known by its public key alone. TLS shows a key inside a
/// certificate (RFC 8446 section 4.4.2), and the JDK has no raw public keys (RFC 7250). Nobody
/// reads name and validity of this one: [PinnedKey] compares the key.
public final class SelfSigned {
  private static final int SEQUENCE = 0x30;
  private static final int SET = 0x31;
  private static final int BIT_STRING = 0x03;
  private static final int UTF8_STRING = 0x0c;
  private static final int UTC_TIME = 0x17;
  private static final int GENERALIZED_TIME = 0x18;
  private static final int VERSION = 0xa0; // [0] EXPLICIT
  private static final byte[] VERSION_3 = {2, 1, 2};
  private static final byte[] SERIAL = {2, 1, 1};

  /// id-Ed25519, 1.3.101.112 (RFC 8410 section 3).
  private static final byte[] ED25519 = {6, 3, 0x2b, 0x65, 0x70};

  /// id-at-commonName, 2.5.4.3.
  private static final byte[] COMMON_NAME = {6, 3, 0x55, 4, 3};

  private static final int LONG_FORM = 0x80;

  private SelfSigned() {}

  /// Returns the certificate of an Ed25519 key, signed by the key itself (RFC 5280 section 4.1). It
  /// has no expiration date (section 4.1.2.5).
  public static X509Certificate of(KeyPair pair) {
    byte[] algorithm = der(SEQUENCE, ED25519);
    byte[] name = name("viaduct peer");
    byte[] validity =
        der(SEQUENCE, text(UTC_TIME, "700101000000Z"), text(GENERALIZED_TIME, "99991231235959Z"));
    byte[] content =
        der(
            SEQUENCE,
            der(VERSION, VERSION_3),
            SERIAL,
            algorithm,
            name,
            validity,
            name,
            pair.getPublic().getEncoded());
    try {
      Signature signature = Signature.getInstance("Ed25519");
      signature.initSign(pair.getPrivate());
      signature.update(content);
      byte[] certificate =
          der(SEQUENCE, content, algorithm, der(BIT_STRING, new byte[1], signature.sign()));
      return (X509Certificate)
          CertificateFactory.getInstance("X.509")
              .generateCertificate(new ByteArrayInputStream(certificate));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must sign and read a certificate of Ed25519", e);
    }
  }

  private static byte[] name(String common) {
    return der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, text(UTF8_STRING, common))));
  }

  private static byte[] text(int tag, String content) {
    return der(tag, content.getBytes(StandardCharsets.US_ASCII));
  }

  /// Returns one element of the distinguished encoding (ITU-T X.690 section 8.1).
  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream element = new ByteArrayOutputStream();
    element.write(tag);
    int length = content.size();
    if (length >= LONG_FORM) {
      int bytes = length > 0xff ? 2 : 1;
      element.write(LONG_FORM | bytes);
      if (bytes == 2) {
        element.write(length >> Byte.SIZE);
      }
    }
    element.write(length);
    element.writeBytes(content.toByteArray());
    return element.toByteArray();
  }
}
