package io.viaduct.sip.digest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/// Hash functions of the digest scheme, strongest first. MD5 is included because common user agents
/// (sipp, baresip, sipsak) support nothing else. An operator can leave it out.
public enum DigestAlgorithm {
  SHA_256("SHA-256", "SHA-256"),
  MD5("MD5", "MD5");

  private final String token;
  private final String jca;

  DigestAlgorithm(String token, String jca) {
    this.token = token;
    this.jca = jca;
  }

  /// Returns the name used in the `algorithm` parameter.
  public String token() {
    return token;
  }

  /// Finds an algorithm by the `algorithm` parameter. An absent parameter means MD5 (RFC 7616
  /// section 3.3).
  public static Optional<DigestAlgorithm> of(String token) {
    return token.isEmpty()
        ? Optional.of(MD5)
        : Arrays.stream(values()).filter(a -> a.token.equalsIgnoreCase(token)).findFirst();
  }

  /// Returns the hash of UTF-8 text in lower-case hexadecimal: `H` in RFC 7616.
  public String hash(String text) {
    try {
      byte[] hash = MessageDigest.getInstance(jca).digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK must have " + jca, e);
    }
  }

  /// Returns H(A1) of a user, which a server may keep in place of the password (RFC 7616 section
  /// 3.4.2).
  public String ha1(String user, String realm, String password) {
    return hash(user + ":" + realm + ":" + password);
  }
}
