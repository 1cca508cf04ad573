package io.viaduct.billing.provisioning;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// H(A1) of one user for each algorithm of digest authentication (RFC 7616 section 3.4.2). It is
/// equivalent to the password for this realm, so it never appears in logs or in `toString`.
///
/// @param sha256 32 bytes; null if the user cannot register with SHA-256
/// @param md5 16 bytes; null if the user cannot register with MD5
public record Ha1(byte @Nullable [] sha256, byte @Nullable [] md5) {
  /// Derives both hashes from a password.
  static Ha1 of(String user, String realm, String password) {
    byte[] a1 = (user + ":" + realm + ":" + password).getBytes(StandardCharsets.UTF_8);
    return new Ha1(hash("SHA-256", a1), hash("MD5", a1));
  }

  private static byte[] hash(String algorithm, byte[] a1) {
    try {
      return MessageDigest.getInstance(algorithm).digest(a1);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK must have " + algorithm, e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Ha1(byte[] otherSha256, byte[] otherMd5)
        && MessageDigest.isEqual(sha256, otherSha256)
        && MessageDigest.isEqual(md5, otherMd5);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(sha256) + Arrays.hashCode(md5);
  }

  @Override
  public String toString() {
    return "Ha1[(secret)]";
  }
}
