package io.viaduct.sip.digest;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// A nonce that its server recognises without storing it. Only the source that it was issued to can
/// return it.
///
/// ```
/// |0              |6             |8            |12                 |24
/// |time ms (48)   |issuer (16)   |random (32)  |HMAC-SHA256, 96 bit|
/// ```
///
/// The MAC covers time, issuer, random and the source's IP address (RFC 7616 section 3.3 proposes
/// such a binding). It leaves the source's port out, because a NAT may give a user agent another
/// port for the next request. 32 characters are short, because a challenge may go to a forged
/// source.
///
/// @param encoded base64url, 32 characters
/// @param issuedMs time of issue
/// @param issuer server that has issued it ([NonceIssuer#id])
record Nonce(String encoded, long issuedMs, int issuer) {
  private static final int TIME = 0;
  private static final int ISSUER = TIME + 6;
  private static final int MAC = ISSUER + 6;
  static final int MAC_BYTES = 12;
  private static final int LENGTH = MAC + MAC_BYTES;

  /// Makes a nonce for a source.
  ///
  /// @param random its lowest 48 bits are used; the highest 16 of them are the issuer
  static Nonce issue(byte[] key, InetAddress source, long nowMs, long random) {
    byte[] bytes =
        ByteBuffer.allocate(LENGTH)
            .putLong(nowMs << 16 | random >>> 32 & 0xffff)
            .putInt((int) random)
            .array();
    System.arraycopy(mac(key, source, bytes, MAC), 0, bytes, MAC, MAC_BYTES);
    return new Nonce(
        Base64.getUrlEncoder().withoutPadding().encodeToString(bytes),
        nowMs,
        (int) (random >>> 32) & 0xffff);
  }

  /// Reads a nonce that a client returned. Empty if it was not made with this key for this source,
  /// or if it is another spelling of the same bytes: used counts are stored by its text.
  static Optional<Nonce> recognise(byte[] key, InetAddress source, String encoded) {
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
    Nonce made = issue(key, source, fields.getLong(TIME) >>> 16, fields.getLong(MAC - Long.BYTES));
    return MessageDigest.isEqual(
            made.encoded.getBytes(StandardCharsets.ISO_8859_1),
            encoded.getBytes(StandardCharsets.ISO_8859_1))
        ? Optional.of(made)
        : Optional.empty();
  }

  /// Returns the MAC over the first octets and the source.
  static byte[] mac(byte[] key, InetAddress source, byte[] bytes, int length) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(bytes, 0, length);
      mac.update(source.getAddress());
      return Arrays.copyOf(mac.doFinal(), MAC_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must have HmacSHA256", e);
    }
  }
}
