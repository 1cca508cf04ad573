package io.viaduct.billing.account;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/// Hashes passwords with bcrypt. Somebody who has stolen the database can try only some tens of
/// passwords per second and core.
public final class Passwords {
  /// 2^10 rounds take about 60 ms. This is the minimum of OWASP's Password Storage Cheat Sheet.
  private static final int STRENGTH = 10;

  /// bcrypt ignores all bytes after this many.
  public static final int BYTES_MAX = 72;

  public static final int LENGTH_MIN = 8;

  /// The hash of a random text, with [#STRENGTH]. It is compared when the account does not exist,
  /// so that the answer takes equally long.
  static final String DUMMY_HASH = "$2a$10$eZAqycbEPqqPIXNaI5ptqOanjM5Fq916ekvBzQeFRXsSHsMTNKrpe";

  private final BCryptPasswordEncoder bcrypt = new BCryptPasswordEncoder(STRENGTH);

  /// The rule for passwords, as people read it.
  public static final String RULE =
      "must have at least %d characters and at most %d bytes, no control character, and no blank at either end"
          .formatted(LENGTH_MIN, BYTES_MAX);

  /// Returns true if a text obeys [#RULE]. Blanks at the ends and control characters are refused
  /// because a password file could not hold them: it is one line, read without the blanks at its
  /// ends.
  public static boolean isAcceptable(String password) {
    return password.codePointCount(0, password.length()) >= LENGTH_MIN
        && password.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX
        && password.equals(password.strip())
        && password.codePoints().noneMatch(Character::isISOControl);
  }

  String hash(String password) {
    if (!isAcceptable(password)) {
      throw new IllegalArgumentException("a password " + RULE);
    }
    return encode(password);
  }

  boolean matches(String password, String hash) {
    return password.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX
        && bcrypt.matches(password, hash);
  }

  void matchDummy(String password) {
    matches(password, DUMMY_HASH);
  }

  private String encode(String password) {
    return Objects.requireNonNull(bcrypt.encode(password));
  }
}
