package io.viaduct.radius.message;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;

/// MD5 over octets and a secret: an authenticator, as its definition says.
final class Md5 {
  private Md5() {}

  static byte[] of(byte[] octets, String secret) {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      digest.update(octets);
      return digest.digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
