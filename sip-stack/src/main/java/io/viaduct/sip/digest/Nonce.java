package io.viaduct.sip.digest;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A nonce that its maker recognises without having kept it.
///
/// ```
/// |0              |8          |16                 |32
/// |time ms (64)   |random (64)|HMAC-SHA256, 128 bit|
/// ```
///
/// @param encoded base64url
/// @param issuedMs when it was made
record Nonce(String encoded, long issuedMs) {
  private static final int TIME = 0;
  private static final int RANDOM = TIME + Long.BYTES;
  private static final int MAC = RANDOM + Long.BYTES;
  private static final int MAC_BYTES = 16;
  private static final int LENGTH = MAC + MAC_BYTES;

  static Nonce issue(byte[] key, long nowMs, long random) {
    byte[] bytes = ByteBuffer.allocate(LENGTH).putLong(nowMs).putLong(random).array();
    System.arraycopy(mac(key, bytes), 0, bytes, MAC, MAC_BYTES);
    return new Nonce(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes), nowMs);
  }

  /// Empty when it was not made with this key, or is another spelling of the same bytes: what a
  /// nonce has been used for is kept by its text.
  static Optional<Nonce> recognise(byte[] key, String encoded) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(encoded);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (bytes.length != LENGTH) {
      return Optional.empty();
    }
    ByteBuffer fields = ByteBuffer.wrap(bytes);
    Nonce made = issue(key, fields.getLong(TIME), fields.getLong(RANDOM));
    return MessageDigest.isEqual(
            made.encoded.getBytes(StandardCharsets.ISO_8859_1),
            encoded.getBytes(StandardCharsets.ISO_8859_1))
        ? Optional.of(made)
        : Optional.empty();
  }

  private static byte[] mac(byte[] key, byte[] bytes) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(bytes, 0, MAC);
      return Arrays.copyOf(mac.doFinal(), MAC_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must have HmacSHA256", e);
    }
  }
}
