package io.viaduct.setup.files;

import java.security.SecureRandom;
import java.util.Base64;

/// Generates random passwords, tokens and keys.
public final class Passwords {
  // Without 0, O, 1, l and i, because people copy passwords by hand.
  private static final String LETTERS = "23456789abcdefghjkmnpqrstuvwxyz";
  private static final int LENGTH = 24; // 118 bits
  private static final int KEY_BYTES = 32; // AES-256
  private static final SecureRandom RANDOM = new SecureRandom();

  private Passwords() {}

  /// Returns a new password of 24 letters and digits.
  public static String draw() {
    return RANDOM
        .ints(LENGTH, 0, LETTERS.length())
        .collect(
            StringBuilder::new,
            (text, at) -> text.append(LETTERS.charAt(at)),
            StringBuilder::append)
        .toString();
  }

  /// Returns the text of a new password file: one line.
  public static String drawLine() {
    return draw() + "\n";
  }

  /// Returns the text of a new key file: 32 random bytes in base64, on one line.
  public static String drawKeyLine() {
    byte[] key = new byte[KEY_BYTES];
    RANDOM.nextBytes(key);
    return Base64.getEncoder().encodeToString(key) + "\n";
  }
}
