package io.viaduct.billing.account;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.KDF;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.HKDFParameterSpec;

/// Marks browsers that have logged in before, so that the throttle can tell them from guessers. A
/// mark is no credential: it only moves the browser to another queue of the throttle.
///
/// ```
/// |0           |16               |24                   |40
/// |id (128)    |issued s (64)    |HMAC-SHA256, 128 bit |
/// ```
///
/// The MAC covers the id, the time and the account's name. Nothing is stored: the key is derived
/// from the private key of billing's certificate. A restart therefore keeps all marks, and a new
/// private key invalidates them.
public final class KnownBrowsers {
  /// Validity of a mark. Each log-in issues a new one.
  public static final Duration LIFETIME = Duration.ofDays(180);

  private static final int ID_BYTES = 16;
  private static final int MAC_BYTES = 16;
  private static final int MAC = ID_BYTES + Long.BYTES;
  private static final int LENGTH = MAC + MAC_BYTES;

  private final SecretKey key;
  private final SecureRandom random = new SecureRandom();

  private KnownBrowsers(SecretKey key) {
    this.key = key;
  }

  /// Derives the key of the MAC.
  ///
  /// @param privateKey file of the private key of billing's certificate
  public static KnownBrowsers of(Path privateKey) {
    try {
      return of(Files.readAllBytes(privateKey));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static KnownBrowsers of(byte[] secret) {
    try {
      byte[] purpose = "viaduct known browser".getBytes(StandardCharsets.US_ASCII);
      HKDFParameterSpec derivation =
          HKDFParameterSpec.ofExtract().addIKM(secret).thenExpand(purpose, 32);
      return new KnownBrowsers(KDF.getInstance("HKDF-SHA256").deriveKey("HmacSHA256", derivation));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must have HKDF-SHA256", e);
    }
  }

  /// Returns a mark for a browser that has just logged in.
  ///
  /// @return 54 characters of base64url
  public String mark(String name, Instant now) {
    byte[] id = new byte[ID_BYTES];
    random.nextBytes(id);
    byte[] mark = ByteBuffer.allocate(LENGTH).put(id).putLong(now.getEpochSecond()).array();
    System.arraycopy(mac(mark, name), 0, mark, MAC, MAC_BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(mark);
  }

  /// Returns the id of the browser that a mark belongs to. Empty if the mark is not from this
  /// billing, is for another account name, or has expired.
  public Optional<String> recognise(String mark, String name, Instant now) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(mark);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (bytes.length != LENGTH
        || !MessageDigest.isEqual(mac(bytes, name), Arrays.copyOfRange(bytes, MAC, bytes.length))) {
      return Optional.empty();
    }
    Instant issued = Instant.ofEpochSecond(ByteBuffer.wrap(bytes).getLong(ID_BYTES));
    return now.isAfter(issued.plus(LIFETIME))
        ? Optional.empty()
        : Optional.of(Base64.getUrlEncoder().encodeToString(Arrays.copyOf(bytes, ID_BYTES)));
  }

  private byte[] mac(byte[] mark, String name) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(mark, 0, MAC);
      mac.update(name.getBytes(StandardCharsets.UTF_8));
      return Arrays.copyOf(mac.doFinal(), MAC_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the JDK must have HmacSHA256", e);
    }
  }
}
