package io.viaduct.billing.secondfactor;

import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.OptionalLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// Time-based one-time passwords (RFC 6238): HMAC-SHA-1, six digits, steps of 30 s, because these
/// are what every authenticator app supports.
final class Totp {
  /// Length of a secret: that of the HMAC (RFC 4226, section 4).
  static final int SECRET_BYTES = 20;

  static final int STEP_SECONDS = 30;

  /// Steps before and after the present one whose code is right too, for clocks that differ.
  private static final int STEPS_ASIDE = 1;

  private static final int DIGITS = 6;
  private static final int MODULUS = 1_000_000;
  private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

  private Totp() {}

  /// Returns the step of a time.
  static long step(Instant time) {
    return Math.floorDiv(time.getEpochSecond(), STEP_SECONDS);
  }

  /// Returns the code of a step (RFC 4226, section 5.3).
  static String code(byte[] secret, long step) {
    byte[] hash = hmac(secret, ByteBuffer.allocate(Long.BYTES).putLong(step).array());
    int offset = hash[hash.length - 1] & 0xf;
    int truncated = ByteBuffer.wrap(hash).getInt(offset) & Integer.MAX_VALUE;
    return ("%0" + DIGITS + "d").formatted(truncated % MODULUS);
  }

  /// Returns the step that a code belongs to, the present one or one beside it; empty if it is not
  /// right. Takes equally long for each code.
  static OptionalLong stepOf(byte[] secret, String code, Instant now) {
    byte[] given = code.getBytes(StandardCharsets.UTF_8);
    OptionalLong found = OptionalLong.empty();
    long present = step(now);
    for (long step = present - STEPS_ASIDE; step <= present + STEPS_ASIDE; step++) {
      byte[] right = code(secret, step).getBytes(StandardCharsets.UTF_8);
      if (MessageDigest.isEqual(right, given)) {
        found = OptionalLong.of(step);
      }
    }
    return found;
  }

  /// Returns bytes in Base32 without padding (RFC 4648, section 6). Their number must be a multiple
  /// of five.
  static String base32(byte[] bytes) {
    StringBuilder text = new StringBuilder(bytes.length * 8 / 5);
    for (int i = 0; i < bytes.length; i += 5) {
      long group = 0;
      for (int k = 0; k < 5; k++) {
        group = group << 8 | bytes[i + k] & 0xff;
      }
      for (int shift = 35; shift >= 0; shift -= 5) {
        text.append(BASE32.charAt((int) (group >>> shift) & 31));
      }
    }
    return text.toString();
  }

  /// Returns the address that an app reads from a QR code (the key URI format of Google
  /// Authenticator).
  ///
  /// @param issuer name that the app shows above the account
  static String uri(String issuer, String account, byte[] secret) {
    return "otpauth://totp/%s:%s?secret=%s&issuer=%s&algorithm=SHA1&digits=%d&period=%d"
        .formatted(
            encoded(issuer),
            encoded(account),
            base32(secret),
            encoded(issuer),
            DIGITS,
            STEP_SECONDS);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static byte[] hmac(byte[] secret, byte[] message) {
    try {
      Mac mac = Mac.getInstance("HmacSHA1");
      mac.init(new SecretKeySpec(secret, "RAW"));
      return mac.doFinal(message);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HmacSHA1", e);
    }
  }
}
