package io.viaduct.sip.digest;

import java.nio.ByteBuffer;
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

  /// Empty when it was not made with this key.
  static Optional<Nonce> recognise(byte[] key, String encoded) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(encoded);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (bytes.length != LENGTH
        || !MessageDigest.isEqual(mac(key, bytes), Arrays.copyOfRange(bytes, MAC, LENGTH))) {
      return Optional.empty();
    }
    return Optional.of(new Nonce(encoded, ByteBuffer.wrap(bytes).getLong(TIME)));
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
