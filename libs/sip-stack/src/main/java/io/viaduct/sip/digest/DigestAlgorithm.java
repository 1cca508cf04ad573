package io.viaduct.sip.digest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/// Algorithms of the digest scheme, strongest first. MD5 is included because common user agents
/// (sipp, baresip, sipsak) support nothing else. An operator can leave it out. With AKA the
/// password is the answer of the subscriber's card to a random number in the nonce (RFC 3310, RFC
/// 4169).
public enum DigestAlgorithm {
  AKAV2_MD5("AKAv2-MD5", "MD5"),
  AKAV1_MD5("AKAv1-MD5", "MD5"),
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

  /// Returns true if a subscriber's card computes the password.
  public boolean isAka() {
    return this == AKAV1_MD5 || this == AKAV2_MD5;
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
    return hash(text.getBytes(StandardCharsets.UTF_8));
  }

  private String hash(byte[] octets) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance(jca).digest(octets));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK must have " + jca, e);
    }
  }

  /// Returns H(A1) of a user, which a server may keep in place of the password (RFC 7616 section
  /// 3.4.2).
  public String ha1(String user, String realm, String password) {
    return ha1(user, realm, password.getBytes(StandardCharsets.UTF_8));
  }

  /// Returns H(A1) for a password of octets, as AKA has it.
  public String ha1(String user, String realm, byte[] password) {
    byte[] head = (user + ":" + realm + ":").getBytes(StandardCharsets.UTF_8);
    return hash(ByteBuffer.allocate(head.length + password.length).put(head).put(password).array());
  }
}
