package io.viaduct.billing.account;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/// Password hashes: bcrypt, which limits a guesser who has the database to some tens of guesses a
/// second and core.
public final class Passwords {
  /// 2^10 rounds: about 60 ms here, the least that OWASP's password storage sheet accepts.
  private static final int STRENGTH = 10;

  /// bcrypt reads no more than this.
  public static final int BYTES_MAX = 72;

  public static final int LENGTH_MIN = 8;

  private final BCryptPasswordEncoder bcrypt = new BCryptPasswordEncoder(STRENGTH);
  // Compared with when there is no such account, so that the answer takes as long.
  private final String nobody = hashed("nobody has this password");

  /// What a password must be, for people.
  public static final String RULE =
      "must have at least %d characters and at most %d bytes, no control character, and no blank at either end"
          .formatted(LENGTH_MIN, BYTES_MAX);

  /// Whether a text may be a password. A password file could not hold what is refused beside short
  /// and long ones: it is one line, read without the blanks at its ends.
  public static boolean acceptable(String password) {
    return password.codePointCount(0, password.length()) >= LENGTH_MIN
        && password.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX
        && password.equals(password.strip())
        && password.codePoints().noneMatch(Character::isISOControl);
  }

  String hash(String password) {
    if (!acceptable(password)) {
      throw new IllegalArgumentException("a password " + RULE);
    }
    return hashed(password);
  }

  boolean matches(String password, String hash) {
    return password.getBytes(StandardCharsets.UTF_8).length <= BYTES_MAX
        && bcrypt.matches(password, hash);
  }

  void matchNobody(String password) {
    matches(password, nobody);
  }

  private String hashed(String password) {
    return Objects.requireNonNull(bcrypt.encode(password));
  }
}
