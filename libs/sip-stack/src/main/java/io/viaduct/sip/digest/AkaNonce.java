package io.viaduct.sip.digest;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/// A nonce of AKA that its server recognises without storing it, as [Nonce]. RAND and AUTN come
/// first (RFC 3310 section 3.2); the server finds the card's answer again from RAND.
///
/// ```
/// |0           |16          |32             |38           |40                 |52
/// |RAND        |AUTN        |time ms (48)   |issuer (16)  |HMAC-SHA256, 96 bit|
/// ```
///
/// @param nonce base64, 72 characters, with the time of issue and the issuer
/// @param rand 16 octets
record AkaNonce(Nonce nonce, byte[] rand) {
  private static final int RAND_BYTES = 16;
  private static final int AUTN = RAND_BYTES;
  private static final int TIME = AUTN + 16;
  private static final int ISSUER = TIME + 6;
  private static final int MAC = ISSUER + 2;
  private static final int LENGTH = MAC + Nonce.MAC_BYTES;

  /// Makes a nonce for a source.
  static AkaNonce issue(
      byte[] key, InetAddress source, byte[] rand, byte[] autn, long nowMs, int issuer) {
    byte[] bytes =
        ByteBuffer.allocate(LENGTH)
            .put(rand)
            .put(autn)
            .putShort((short) (nowMs >>> 32))
            .putInt((int) nowMs)
            .putShort((short) issuer)
            .array();
    System.arraycopy(Nonce.mac(key, source, bytes, MAC), 0, bytes, MAC, Nonce.MAC_BYTES);
    return new AkaNonce(new Nonce(Base64.getEncoder().encodeToString(bytes), nowMs, issuer), rand);
  }

  /// Reads a nonce that a client returned. Empty if it was not made with this key for this source,
  /// or if it is another spelling of the same bytes.
  static Optional<AkaNonce> recognise(byte[] key, InetAddress source, String encoded) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(encoded);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (bytes.length != LENGTH
        || !Base64.getEncoder().encodeToString(bytes).equals(encoded)
        || !MessageDigest.isEqual(
            Nonce.mac(key, source, bytes, MAC), Arrays.copyOfRange(bytes, MAC, LENGTH))) {
      return Optional.empty();
    }
    long fields = ByteBuffer.wrap(bytes).getLong(TIME);
    return Optional.of(
        new AkaNonce(
            new Nonce(encoded, fields >>> 16, (int) fields & 0xffff),
            Arrays.copyOf(bytes, RAND_BYTES)));
  }
}
